package tfstats_test

import (
	"fmt"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/beam/tfstats"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

func init() {
	register.Function1x0(printExamples)
	register.Function1x0(printFinding)
}

func printExamples(a *stats.Accumulator) { fmt.Println(a.Examples(), "examples") }

func printFinding(f tfstats.Finding) {
	fmt.Printf("record %d: %s: want %s, got %s\n", f.Record, f.Feature, f.Expected, f.Observed)
}

// Statistics of all files together; the second PCollection has a failure for damage that was skipped.
func ExampleFromFiles() {
	p, s := beam.NewPipelineWithRoot()
	files := tfrecordio.Match(s, nil, "../../testdata/recipes.tfrecord")
	statistics, _ := tfstats.FromFiles(s, files, nil)
	beam.ParDo0(s, printExamples, statistics)
	if err := ptest.Run(p); err != nil { // in a program: beamx.Run(ctx, p)
		log.Fatal(err)
	}
	// Output: 12 examples
}

// Records that a schema does not allow.
func ExampleValidate() {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(`feature { name: "minutes" type: INT int_domain { max: 100 } }`), schema); err != nil {
		log.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	files := tfrecordio.Match(s, nil, "../../testdata/recipes.tfrecord")
	v := tfstats.Validate(s, files, schema, &tfstats.ValidateOptions{Ignore: []string{"SCHEMA_NEW_COLUMN"}})
	beam.ParDo0(s, printFinding, v.Findings)
	if err := ptest.Run(p); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// record 1: minutes: want at most 100, got 300
	// record 5: minutes: want at most 100, got 120
}

package tfexample_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/tfparse/tfparse/beam/tfexample"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/feature"
)

const pattern = "../../testdata/recipes.tfrecord"

// steps counts the steps of each recipe of a batch: the rows of a ragged feature.
type steps struct{}

func (steps) ProcessBatch(_ context.Context, b *feature.Batch, emit func(int)) error {
	words, err := feature.ColumnOf[string](b.Columns(), "steps")
	if err != nil {
		return err
	}
	for _, recipe := range words.Rows() {
		emit(recipe.Len())
	}
	return nil
}

func init() {
	tfexample.Register[steps, int]()
	register.Function1x0(show)
}

func show(most int) { fmt.Println("the longest recipe has", most, "steps") }

func Example() {
	spec := feature.Spec{Features: feature.Features{
		"steps": feature.Ragged{DType: feature.String, ValueKey: "steps/words", Partitions: []feature.Partition{feature.RowLengths("steps/lengths")}},
	}}
	p, s := beam.NewPipelineWithRoot()
	files := tfrecordio.Match(s, nil, pattern)
	counts, _ := tfexample.ParseFiles(s, spec, steps{}, files, nil)
	beam.ParDo0(s, show, stats.Max(s, counts))
	if err := ptest.Run(p); err != nil { // in a program: beamx.Run(ctx, p)
		log.Fatal(err)
	}
	// Output: the longest recipe has 5 steps
}

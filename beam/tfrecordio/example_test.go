package tfrecordio_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	register.Function1x0(printShard)
	register.Function2x0(keepLarge)
}

func printShard(s tfrecordio.Shard) {
	fmt.Println(filepath.Base(s.Name), "has", s.Records, "records")
}

func keepLarge(rec []byte, emit func([]byte)) {
	if len(rec) > 500 {
		emit(rec)
	}
}

// A pipeline that reads records, drops some records, and writes the rest to two shards.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p, s := beam.NewPipelineWithRoot()
	records := tfrecordio.Read(s, "../../testdata/recipes.tfrecord", nil)
	large := beam.ParDo(s, keepLarge, records)
	shards := tfrecordio.Write(s, filepath.Join(dir, "large@2.gz"), large, &tfrecordio.WriteOptions{Compression: tfrecord.GZIP})
	beam.ParDo0(s, printShard, shards)
	if err := ptest.Run(p); err != nil { // in a program: beamx.Run(ctx, p)
		log.Fatal(err)
	}
	// Unordered output:
	// large-00000-of-00002.gz has 3 records
	// large-00001-of-00002.gz has 5 records
}

// A global shuffle into a set of shards.
func ExampleShuffle() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p, s := beam.NewPipelineWithRoot()
	shards, _ := tfrecordio.Shuffle(s, filepath.Join(dir, "shuffled@3"), 1, nil, "../../testdata/recipes.tfrecord")
	beam.ParDo0(s, printShard, shards)
	if err := ptest.Run(p); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// shuffled-00000-of-00003 has 4 records
	// shuffled-00001-of-00003 has 4 records
	// shuffled-00002-of-00003 has 4 records
}

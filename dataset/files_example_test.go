package dataset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// Batches of all records of a set of files, in two epochs with different orders.
func ExampleFiles() {
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"title":   feature.FixedLen{DType: feature.String},
		"minutes": feature.FixedLen{DType: feature.Int64, Default: example.Int64s(0)},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	files := dataset.NewFiles([]string{"../testdata/recipes.tfrecord"}, &dataset.FilesOptions{Shuffle: 100, Seed: 1, Repeat: 2})
	for batch, err := range files.Batches(context.Background(), parser, 5).All() {
		if err != nil {
			log.Fatal(err)
		}
		title, err := feature.ColumnOf[string](batch.Columns(), "title")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch.Len(), title.Values()[0])
		batch.Release() // optional: its memory is used again
	}
	// Output:
	// 5 Boiled egg
	// 5 Pesto
	// 5 Crème brûlée
	// 5 Apple crumble
	// 4 Hummus
}

// A stream that stops after its second batch. Another stream continues from its State, which was kept
// as JSON.
func ExampleFiles_resume() {
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{"title": feature.FixedLen{DType: feature.String}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	opts := dataset.FilesOptions{Shuffle: 100, Seed: 1, Repeat: 2}
	var kept []byte
	for range 2 {
		if kept != nil {
			opts.Resume = new(dataset.State)
			if err := json.Unmarshal(kept, opts.Resume); err != nil {
				log.Fatal(err)
			}
		}
		batches := dataset.NewFiles([]string{"../testdata/recipes.tfrecord"}, &opts).Batches(context.Background(), parser, 5)
		n := 0
		for batch, err := range batches.All() {
			if err != nil {
				log.Fatal(err)
			}
			title, err := feature.ColumnOf[string](batch.Columns(), "title")
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(batch.Len(), title.Values()[0])
			if n++; n == 2 && kept == nil {
				break
			}
		}
		state, err := batches.State()
		if err != nil {
			log.Fatal(err)
		}
		if kept, err = json.Marshal(state); err != nil {
			log.Fatal(err)
		}
		fmt.Println("stopped")
	}
	// Output:
	// 5 Boiled egg
	// 5 Pesto
	// stopped
	// 5 Crème brûlée
	// 5 Apple crumble
	// 4 Hummus
	// stopped
}

// Records that an expression selects.
func ExampleFilesOptions_filter() {
	quick, err := expr.Compile(`minutes < 15`)
	if err != nil {
		log.Fatal(err)
	}
	isQuick := func(rec []byte) (bool, error) { return quick.Match(example.TypeExample, rec) }
	records := dataset.NewFiles([]string{"../testdata/recipes.tfrecord"}, &dataset.FilesOptions{Filter: isQuick}).Records(context.Background())
	for _, err := range records.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(records.Pos())
	}
	// Output:
	// ../testdata/recipes.tfrecord: record 4 (offset 0x925)
	// ../testdata/recipes.tfrecord: record 7 (offset 0xf28)
	// ../testdata/recipes.tfrecord: record 8 (offset 0x109e)
	// ../testdata/recipes.tfrecord: record 10 (offset 0x1478)
}

// Records with their positions. The end of the loop, also by break, ends the reading.
func ExampleFiles_Records() {
	records := dataset.NewFiles([]string{"../testdata/recipes.tfrecord", "../testdata/sessions.tfrecord"}, nil).Records(context.Background())
	for rec, err := range records.All() {
		if err != nil {
			log.Fatal(err)
		}
		if pos := records.Pos(); pos.Record < 2 {
			fmt.Println(pos, len(rec), "bytes")
		}
	}
	fmt.Println(records.Stats().Records, "records")
	// Output:
	// ../testdata/recipes.tfrecord: record 0 (offset 0x0) 538 bytes
	// ../testdata/recipes.tfrecord: record 1 (offset 0x22a) 608 bytes
	// ../testdata/sessions.tfrecord: record 0 (offset 0x0) 182 bytes
	// ../testdata/sessions.tfrecord: record 1 (offset 0xc6) 212 bytes
	// 18 records
}

// All records in one random order, different in each epoch, without a shuffle buffer. State has the
// position in that order.
func ExampleFilesOptions_globalShuffle() {
	o := &dataset.FilesOptions{GlobalShuffle: true, Seed: 3, Repeat: 2}
	records := dataset.NewFiles([]string{"../testdata/recipes.tfrecord"}, o).Records(context.Background())
	for i := range 20 {
		if _, err := records.Next(); err != nil {
			fmt.Println(err)
			return
		}
		if i < 5 {
			fmt.Print(records.Pos().Record, " ")
		}
	}
	fmt.Println("…")
	var err error
	if o.Resume, err = records.State(); err != nil {
		fmt.Println(err)
	}
	records.Close()
	n, err := countAll(dataset.NewFiles([]string{"../testdata/recipes.tfrecord"}, o))
	fmt.Println(n, "of 24 are left", err)
	// Output:
	// 9 8 2 4 0 …
	// 4 of 24 are left <nil>
}

// Any store can be used that opens a name for reading.
func ExampleFilesOptions_open() {
	bucket := map[string][]byte{}
	for i := range 2 {
		bucket[fmt.Sprintf("logs/day-%05d-of-00002", i)] = tfrecord.AppendRecord(nil, fmt.Appendf(nil, "record of shard %d", i))
	}
	files := dataset.NewFiles([]string{"logs/day@2"}, &dataset.FilesOptions{
		Open: func(ctx context.Context, name string) (io.ReadCloser, error) {
			object, ok := bucket[name]
			if !ok {
				return nil, os.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(string(object))), nil
		},
	})
	for rec, err := range files.Records(context.Background()).All() {
		fmt.Println(string(rec), err)
	}
	// Output:
	// record of shard 0 <nil>
	// record of shard 1 <nil>
}

// Damage is an error with its position. With SkipErrors it is reported and counted instead.
func ExampleFilesOptions_skipErrors() {
	data := tfrecord.AppendRecord(nil, []byte("one"))
	data = tfrecord.AppendRecord(data, []byte("two"))
	data = tfrecord.AppendRecord(data, []byte("three"))
	data[20+12] = 'T'
	fsys := fstest.MapFS{"x.tfrecord": {Data: data}}

	_, err := countAll(dataset.NewFiles([]string{"*.tfrecord"}, &dataset.FilesOptions{FS: fsys}))
	fmt.Println(err)
	fmt.Println(errors.Is(err, tfrecord.ErrDataChecksum))

	n, err := countAll(dataset.NewFiles([]string{"*.tfrecord"}, &dataset.FilesOptions{FS: fsys, SkipErrors: true,
		OnSkip: func(s dataset.Skipped) { fmt.Println("skipped:", s.Records, "record at", s.Position) }}))
	fmt.Println(n, err)
	// Output:
	// x.tfrecord: record 1 (offset 0x13): payload checksum mismatch: stored 0x09c99089, computed 0x92f31e41
	// true
	// skipped: 1 record at x.tfrecord: record 1 (offset 0x13)
	// 2 <nil>
}

func countAll(f *dataset.Files) (n int, err error) {
	for _, err := range f.Records(context.Background()).All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Batches of CSV: the columns are inferred first, then the rows are parsed as records are.
func ExampleFilesOptions_format() {
	fsys := fstest.MapFS{"trips.csv": {Data: []byte("fare,city\n12,Oslo\n,Bergen\n7.5,Oslo\n")}}
	f, err := fsys.Open("trips.csv")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	inferrer := recordcsv.NewInferrer(nil)
	if err := inferrer.Read(f, nil); err != nil {
		log.Fatal(err)
	}
	columns := inferrer.Columns(nil)

	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"fare": feature.FixedLen{DType: feature.Float32, Default: example.Floats(-1)},
		"city": feature.FixedLen{DType: feature.String},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	files := dataset.NewFiles([]string{"trips.csv"}, &dataset.FilesOptions{FS: fsys, Format: func(name string, r io.Reader) dataset.RecordReader {
		return recordcsv.NewReader(r, columns, nil)
	}})
	for batch, err := range files.Batches(context.Background(), parser, 100).All() {
		if err != nil {
			log.Fatal(err)
		}
		fare, err := feature.ColumnOf[float32](batch.Columns(), "fare")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(fare.Values())
	}
	// Output:
	// [12 -1 7.5]
}

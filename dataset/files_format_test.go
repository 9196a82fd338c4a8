package dataset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

var rowColumns = []recordcsv.Column{{Name: "id", Kind: example.Int64List}, {Name: "text", Kind: example.BytesList}}

// formatCSV reads files with the extension .csv.
func formatCSV(name string, r io.Reader) dataset.RecordReader {
	if !strings.HasSuffix(name, ".csv") {
		return nil
	}
	return recordcsv.NewReader(r, rowColumns, nil)
}

// rowFiles returns files of CSV rows, and TFRecord files with the same records.
func rowFiles(t *testing.T, sizes ...int) (csv, records fstest.MapFS, names []string) {
	csv, records = fstest.MapFS{}, fstest.MapFS{}
	for f, n := range sizes {
		var b bytes.Buffer
		b.WriteString("id,text\n")
		for i := range n {
			fmt.Fprintf(&b, "%d,\"row %d\nof file %d%s\"\n", i, i, f, strings.Repeat(" x", i*37%100))
		}
		name := fmt.Sprintf("f%d.csv", f)
		names = append(names, name)
		if f == 1 { // a TFRecord in both
			name = "f1.tfrecord"
			names[f] = name
		}
		var encoded bytes.Buffer
		w := tfrecord.NewWriter(&encoded, nil)
		for r := recordcsv.NewReader(bytes.NewReader(b.Bytes()), rowColumns, nil); ; {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.WriteRecord(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		records[name] = &fstest.MapFile{Data: encoded.Bytes()}
		csv[name] = &fstest.MapFile{Data: b.Bytes()}
		if f == 1 {
			csv[name] = records[name]
		}
	}
	return csv, records, names
}

// all reads records, as text with their positions except the offset.
func all(t *testing.T, names []string, o *dataset.FilesOptions) (got []string) {
	stream := dataset.NewFiles(names, o).Records(context.Background())
	for rec, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %d %x", stream.Pos().Name, stream.Pos().Record, rec))
	}
	return got
}

// TestFormat compares streams of CSV files and a TFRecord with streams of TFRecords, for random
// options, also for streams that stop and are resumed.
func TestFormat(t *testing.T) {
	csv, records, names := rowFiles(t, 300, 100, 0, 400)
	for name, o := range map[string]dataset.FilesOptions{
		"in order":    {Workers: 1, Prefetch: -1},
		"workers":     {Workers: 4},
		"budget":      {Workers: 2, Budget: 1 << 12},
		"interleaved": {Workers: 2, Interleave: 3},
		"shuffled":    {Workers: 2, Shuffle: 100, Seed: 3, Repeat: 2, ShuffleFiles: true},
		"skip":        {Skip: 10, Take: 500, Shard: dataset.Shard{Index: 1, Count: 2, ByRecord: true}},
		"filter":      {Filter: func(rec []byte) (bool, error) { return bytes.Contains(rec, []byte("7")), nil }},
		"skip errors": {SkipErrors: true},
	} {
		t.Run(name, func(t *testing.T) {
			o.FS = records
			want := all(t, names, &o)
			o.FS, o.Format = csv, formatCSV
			got := all(t, names, &o)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%d records, want %d, or others", len(got), len(want))
			}
			for _, stop := range []int{0, 1, len(want) / 3, len(want) - 1} {
				first := dataset.NewFiles(names, &o).Records(context.Background())
				for range stop {
					if _, err := first.Next(); err != nil {
						t.Fatal(err)
					}
				}
				state, err := first.State()
				if err != nil {
					t.Fatal(err)
				}
				first.Close()
				text, err := json.Marshal(state)
				if err != nil {
					t.Fatal(err)
				}
				again := o
				again.Resume = new(dataset.State)
				if err := json.Unmarshal(text, again.Resume); err != nil {
					t.Fatal(err)
				}
				if got := all(t, names, &again); strings.Join(got, "\n") != strings.Join(want[stop:], "\n") {
					t.Errorf("stopped behind %d: %d records, want %d, or others", stop, len(got), len(want)-stop)
				}
			}
		})
	}
}

// TestFormatFaults checks that a bad row, or a file with a bad header, ends the stream or is skipped
// at its position.
func TestFormatFaults(t *testing.T) {
	fsys := fstest.MapFS{
		"a.csv": {Data: []byte("id,text\n1,a\n2\n3,c\n4,\"d\n")},
		"b.csv": {Data: []byte("id,txt\n1,a\n")},
		"c.csv": {Data: []byte("id,text\n1,a\n")},
	}
	names := []string{"a.csv", "b.csv", "c.csv"}
	for _, workers := range []int{1, 3} {
		var events []string
		o := &dataset.FilesOptions{FS: fsys, Workers: workers, Format: formatCSV}
		for rec, err := range dataset.NewFiles(names, o).Records(context.Background()).All() {
			if err == nil {
				events = append(events, fmt.Sprint(len(rec)))
				continue
			}
			fe, named := errors.AsType[*dataset.FileError](err)
			ce, placed := errors.AsType[*recordcsv.Error](err)
			if !named || !placed || fe.Name != "a.csv" || ce.Row != 1 || ce.Offset != 12 {
				t.Errorf("got %v", err)
			}
			events = append(events, err.Error())
		}
		if got := strings.Join(events, "\n"); got != "30\na.csv: line 3: 1 cell, want 2" {
			t.Errorf("got\n%s", got)
		}
		events = nil
		o.SkipErrors = true
		o.OnSkip = func(s dataset.Skipped) {
			events = append(events, fmt.Sprintf("%s %d %d-%d (%d): %v", s.Name, s.Record, s.Offset, s.End, s.Records, s.Err))
		}
		stream := dataset.NewFiles(names, o).Records(context.Background())
		for _, err := range stream.All() {
			events = append(events, fmt.Sprint(stream.Pos(), err))
		}
		want := []string{
			"a.csv: record 0 (offset 0x8) <nil>",
			"a.csv 1 12-14 (1): a.csv: line 3: 1 cell, want 2",
			"a.csv: record 2 (offset 0xe) <nil>",
			"a.csv 3 18-23 (1): a.csv: line 5, byte 6: quoted cell is not closed, or a quote in it is not doubled",
			`b.csv -1 0--1 (-1): b.csv: line 1: the name of column 2 is "txt", want "text", as in the other files`,
			"c.csv: record 0 (offset 0x8) <nil>",
		}
		if strings.Join(events, "\n") != strings.Join(want, "\n") {
			t.Errorf("%d workers: got\n%s\nwant\n%s", workers, strings.Join(events, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestFormatBatches parses rows of CSV, leaving out one that does not fit the spec.
func TestFormatBatches(t *testing.T) {
	fsys := fstest.MapFS{"a.csv": {Data: []byte("id,text\n1,a\n,b\n3,c\n")}}
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{"id": feature.FixedLen{DType: feature.Int64}, "text": feature.FixedLen{DType: feature.String}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var skipped []string
	o := &dataset.FilesOptions{FS: fsys, Format: formatCSV, SkipErrors: true, OnSkip: func(s dataset.Skipped) {
		skipped = append(skipped, fmt.Sprintf("%d to %d: %v", s.Offset, s.End, s.Err))
	}}
	for batch, err := range dataset.NewFiles([]string{"a.csv"}, o).Batches(context.Background(), parser, 10).All() {
		if err != nil {
			t.Fatal(err)
		}
		if batch.Len() != 2 {
			t.Errorf("%d rows", batch.Len())
		}
	}
	if len(skipped) != 1 || !strings.HasPrefix(skipped[0], "12 to -1: a.csv: record 1 (offset 0xc): ") {
		t.Errorf("got %q", skipped)
	}
}

// TestFormatStops checks that Close and the end of the context end a stream in the middle, and leave
// no goroutine.
func TestFormatStops(t *testing.T) {
	csv, _, names := rowFiles(t, 4000, 10, 4000)
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		stream := dataset.NewFiles(names, &dataset.FilesOptions{FS: csv, Workers: workers, Format: formatCSV, Budget: 1 << 16}).Records(ctx)
		for range 100 {
			if _, err := stream.Next(); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		var err error
		for err == nil {
			_, err = stream.Next()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: %v", workers, err)
		}
		other := dataset.NewFiles(names, &dataset.FilesOptions{FS: csv, Workers: workers, Format: formatCSV}).Records(context.Background())
		if _, err := other.Next(); err != nil {
			t.Fatal(err)
		}
		other.Close()
	}
	_, err := dataset.NewFiles(names, &dataset.FilesOptions{FS: csv, Format: formatCSV, GlobalShuffle: true}).Records(context.Background()).Next()
	if !errors.Is(err, dataset.ErrArgument) {
		t.Errorf("GlobalShuffle: %v", err)
	}
}

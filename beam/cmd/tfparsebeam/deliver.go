package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // without reflection
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

func init() {
	register.DoFn3x1[context.Context, tfrecordio.File, func([]byte), error](&countFn{})
	register.DoFn2x1[int, func(*[]byte) bool, error](&deliverFn{})
	register.Function1x2(statisticsLine)
	register.Function1x2(shardLine)
	register.Function1x2(failureLine)
	register.Emitter1[[]byte]()
	register.Iter1[[]byte]()
}

var resultDir = flag.String("result_dir", "", "Directory in which the pipeline leaves its result for this process, which removes it; workers on other machines need a shared directory. If empty, the system's directory for temporary files.")

// A line is one result that the pipeline delivers to this process, as an element. One field is set.
type line struct {
	Statistics []byte
	Shard      *tfrecordio.Shard
	Failure    *tfrecordio.Failure
	Count      *fileCount
}

// A fileCount is the number of intact records in the file with an ordinal.
type fileCount struct{ Ordinal, Records int64 }

// encode returns the line in gob: JSON would change names that are not UTF-8.
func (l *line) encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(l)
	return b.Bytes(), err
}

func shardLine(s tfrecordio.Shard) ([]byte, error)     { return (&line{Shard: &s}).encode() }
func failureLine(f tfrecordio.Failure) ([]byte, error) { return (&line{Failure: &f}).encode() }

func statisticsLine(a *stats.Accumulator) ([]byte, error) {
	list, err := a.Statistics()
	if err != nil {
		return nil, err
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(list)
	if err != nil {
		return nil, err
	}
	return (&line{Statistics: b}).encode()
}

// countFn counts the records of a file.
type countFn struct {
	Read tfrecordio.ReadOptions
	Skip bool // skip damage; else damage is an error
}

// ProcessElement implements the DoFn.
func (fn *countFn) ProcessElement(ctx context.Context, f tfrecordio.File, emit func([]byte)) error {
	count, opened := fileCount{Ordinal: f.Ordinal}, true
	emitLine := func(l line) error {
		b, err := l.encode()
		if err == nil {
			emit(b)
		}
		return err
	}
	var skipped func(tfrecordio.Failure) error
	if fn.Skip {
		skipped = func(f tfrecordio.Failure) error {
			opened = opened && f.Class != ""
			return emitLine(line{Failure: &f})
		}
	}
	err := f.Each(ctx, &fn.Read, func([]byte, tfrecord.Position) error {
		count.Records++
		return nil
	}, skipped)
	if err != nil || !opened {
		return err
	}
	return emitLine(line{Count: &count})
}

// A delivery is the result of a pipeline.
type delivery struct {
	statistics []byte
	shards     int
	written    int64                // number of records in the shards
	failures   []tfrecordio.Failure // failures in the order of the files
	counts     map[int64]int64      // number of records, by the ordinal of the file
}

// deliver runs the pipeline that build makes for the files, and returns its result: build returns collections of lines.
func (v *invocation) deliver(ctx context.Context, build func(s beam.Scope, files beam.PCollection) []beam.PCollection) (*delivery, error) {
	name, remove, err := resultFile()
	if err != nil {
		return nil, err
	}
	defer remove()
	p, s := beam.NewPipelineWithRoot()
	files := slices.Clone(v.files)
	for i := range files {
		files[i].Name = absolute(files[i].Name)
	}
	lines := append(build(s, beam.Reshuffle(s, beam.CreateList(s, files))), beam.CreateList(s, [][]byte{nil})) // an empty line, so that there is a group
	beam.ParDo0(s, &deliverFn{Name: name}, beam.GroupByKey(s, beam.AddFixedKey(s, beam.Flatten(s, lines...))))
	if err := runPipeline(ctx, p); err != nil {
		return nil, err
	}
	f, err := storage.Open(name)
	if err != nil {
		return nil, fmt.Errorf("no result of the pipeline here; set --result_dir to a shared directory: %w", err)
	}
	defer f.Close()
	return readLines(f, files)
}

// readLines reads the lines that deliverFn has written.
func readLines(f storage.File, files []tfrecordio.File) (*delivery, error) {
	r := &delivery{counts: map[int64]int64{}}
	for b, err := range tfrecord.NewReader(f, nil).All() {
		if err != nil {
			return nil, err
		}
		var l line
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&l); err != nil {
			return nil, err
		}
		switch {
		case l.Shard != nil:
			r.shards++
			r.written += l.Shard.Records
		case l.Failure != nil:
			r.failures = append(r.failures, *l.Failure)
		case l.Count != nil:
			r.counts[l.Count.Ordinal] = l.Count.Records
		default:
			r.statistics = l.Statistics
		}
	}
	ordinal := map[string]int{}
	for i, f := range files {
		ordinal[f.Name] = i
	}
	slices.SortStableFunc(r.failures, func(a, b tfrecordio.Failure) int {
		return cmp.Or(cmp.Compare(ordinal[a.File], ordinal[b.File]), cmp.Compare(a.Record, b.Record))
	})
	return r, nil
}

// deliverFn writes lines to a file, as records. A second attempt writes the file again.
type deliverFn struct{ Name string }

// ProcessElement implements the DoFn.
func (fn *deliverFn) ProcessElement(_ int, lines func(*[]byte) bool) error {
	var out, b []byte
	for lines(&b) {
		if len(b) > 0 {
			out = tfrecord.AppendRecord(out, b)
		}
	}
	return writeFile(fn.Name, out)
}

// writeFile writes a file atomically.
func writeFile(name string, b []byte) error {
	f, err := atomicfile.Create(name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Commit()
}

// absolute returns the name by which workers open a file.
func absolute(name string) string {
	if storage.Remote(name) {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// resultFile returns the name of a file for the result, and a function that removes it.
func resultFile() (name string, remove func(), err error) {
	base := unique("tfparsebeam-")
	if storage.Remote(*resultDir) {
		name = storage.Join(*resultDir, base)
		return name, func() {
			ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
			defer stop()
			if err := storage.Remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(os.Stderr, "tfparsebeam: %v\n", err)
			}
		}, nil
	}
	dir, err := os.MkdirTemp(*resultDir, "tfparsebeam-")
	if err != nil {
		return "", nil, err
	}
	return absolute(filepath.Join(dir, base)), func() { os.RemoveAll(dir) }, nil
}

// unique returns a name that no other process uses, even on other machines.
func unique(prefix string) string { return fmt.Sprintf("%s%016x", prefix, rand.Uint64()) }

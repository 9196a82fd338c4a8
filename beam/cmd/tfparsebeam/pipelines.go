package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // without reflection
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/gather"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/storage"
)

func init() {
	register.DoFn2x1[context.Context, []byte, error](&deliverFn{})
}

var resultDir = flag.String("result_dir", "", "Directory in which the pipeline leaves its result for this process, which removes it; workers on other machines need one that they share. The directory for temporary files of the system if empty.")

// pipelines is an Engine that runs the work as pipelines.
type pipelines struct{ running sync.WaitGroup }

// wait waits until no pipeline runs, for some time at most.
func (on *pipelines) wait(most time.Duration) {
	done := make(chan struct{})
	go func() { on.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(most):
	}
}

// Gather implements [engine.Engine].
func (on *pipelines) Gather(ctx context.Context, w *engine.Work, files []engine.File) (*engine.Result, error) {
	on.running.Add(1)
	defer on.running.Done()
	given := map[string]string{} // names of files on the command line, by those that workers open
	for _, f := range files {
		given[absolute(f.Name)] = f.Name
	}
	b, err := deliver(ctx, func(s beam.Scope) beam.PCollection {
		return gather.Merge(s, gather.Files(s, create(s, files), w), w)
	})
	if err != nil {
		return nil, err
	}
	r := &engine.Result{}
	err = r.UnmarshalBinary(b)
	r.Rename(func(name string) string { return given[name] })
	return r, err
}

// create returns the files as a PCollection<tfrecordio.File>, spread over the workers.
func create(s beam.Scope, files []engine.File) beam.PCollection {
	all := make([]tfrecordio.File, len(files))
	for i, f := range files {
		all[i] = tfrecordio.File{Name: absolute(f.Name), Ordinal: int64(i), Missing: f.Err, Records: f.Records}
	}
	if len(all) == 0 {
		return beam.CreateList(s, all)
	}
	return beam.Reshuffle(s, beam.CreateList(s, all))
}

// deliver runs a pipeline that ends in a PCollection<[]byte> of one element, and returns that.
func deliver(ctx context.Context, build func(beam.Scope) beam.PCollection) ([]byte, error) {
	name, remove, err := resultFile()
	if err != nil {
		return nil, err
	}
	defer remove()
	p, s := beam.NewPipelineWithRoot()
	beam.ParDo0(s, &deliverFn{Name: name}, build(s))
	if err := run(ctx, p); err != nil {
		return nil, err
	}
	b, err := storage.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the pipeline has left no result that this process can read; --result_dir names a directory that all machines share: %w", err)
	}
	return b, nil
}

// absolute is the name of a file as workers open it.
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

// unique returns a name that no other process has, also on other machines.
func unique(prefix string) string { return fmt.Sprintf("%s%016x", prefix, rand.Uint64()) }

// deliverFn writes the result to a file. A second attempt writes it again.
type deliverFn struct{ Name string }

// ProcessElement implements the DoFn.
func (fn *deliverFn) ProcessElement(_ context.Context, b []byte) error {
	f, err := atomicfile.Create(fn.Name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Commit()
}

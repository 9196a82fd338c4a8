package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // without reflection
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/tfparse/tfparse/beam/internal/gather"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/storage"
)

func init() {
	register.DoFn2x1[context.Context, []byte, error](&deliverFn{})
}

// resultFiles counts results, for their names.
var resultFiles atomic.Int64

var resultDir = flag.String("result_dir", "", "Directory in which the pipeline leaves its result for this process, which removes it; workers on other machines need one that they share. The directory for temporary files of the system if empty.")

// pipelines is an Engine that runs the work as pipelines.
type pipelines struct{}

// Gather implements [engine.Engine].
func (*pipelines) Gather(ctx context.Context, w *engine.Work, files []engine.File) (*engine.Result, error) {
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

// known are the names of the runners that are imported.
var known = []string{"prism", "flink", "spark", "universal", "PrismRunner", "FlinkRunner", "SparkRunner", "PortableRunner", "portable"}

// run runs a pipeline on the runner that --runner names.
func run(ctx context.Context, p *beam.Pipeline) error {
	runner := *runners.Runner
	switch {
	case runner == "":
		runner = "prism"
	case !slices.Contains(known, runner): // for which Beam ends the process
		return fmt.Errorf("--runner %s: want %s", runner, strings.Join(known[:4], ", "))
	}
	_, err := beam.Run(ctx, runner, p)
	return err
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
	base := fmt.Sprintf("tfparsebeam-%d-%d", os.Getpid(), resultFiles.Add(1))
	if storage.Remote(*resultDir) {
		return storage.Join(*resultDir, base), func() {}, nil
	}
	dir, err := os.MkdirTemp(*resultDir, "tfparsebeam-")
	if err != nil {
		return "", nil, err
	}
	return absolute(filepath.Join(dir, base)), func() { os.RemoveAll(dir) }, nil
}

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

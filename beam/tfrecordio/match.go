package tfrecordio

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

func init() {
	register.DoFn3x1[context.Context, []string, func(File), error](&matchFn{})
	register.Function1x1(alone)
}

// MatchOptions are the settings of [Match]. A nil *MatchOptions and every zero field mean the default.
type MatchOptions struct {
	// KeepMissing returns a File with Missing set for a pattern that matches no file and for a missing
	// shard of a set. Otherwise both fail the pipeline.
	KeepMissing bool
}

// Match returns the files that patterns match, as a PCollection<[File]>, distributed over the workers.
//
// A pattern has the same meaning as in the command: the name of a file; a directory, for its files; a sharded
// name, such as train@16 or train@16.gz; or a glob, whose * does not match a "/". A sharded name contains the number of
// shards, so a missing shard is noticed. Names without a scheme are files of the system. gs://, s3:// and http:// need a program that
// calls [store.Register] in main, which every process of a pipeline runs. The file systems of Beam are not used.
//
// [store.Register]: https://pkg.go.dev/github.com/tfparse/tfparse/store#Register
func Match(s beam.Scope, opts *MatchOptions, patterns ...string) beam.PCollection {
	s = s.Scope("tfrecordio.Match")
	validate(patterns)
	return match(s, matchFn{KeepMissing: opts != nil && opts.KeepMissing}, beam.Create(s, patterns))
}

// MatchAll is [Match] for each pattern in a PCollection<string>: ordinals begin at 0 for each pattern.
func MatchAll(s beam.Scope, opts *MatchOptions, patterns beam.PCollection) beam.PCollection {
	s = s.Scope("tfrecordio.MatchAll")
	return match(s, matchFn{KeepMissing: opts != nil && opts.KeepMissing}, beam.ParDo(s, alone, patterns))
}

// match returns the files of a PCollection<[]string>. Without Reshuffle one worker would read all files.
func match(s beam.Scope, fn matchFn, patterns beam.PCollection) beam.PCollection {
	return beam.Reshuffle(s, beam.ParDo(s, &fn, patterns))
}

func alone(pattern string) []string { return []string{pattern} }

// validate panics, as Beam's own transforms do, if a pattern is empty or no store is registered for its scheme.
func validate(patterns []string) {
	if len(patterns) == 0 {
		panic("tfrecordio: no pattern")
	}
	for _, p := range patterns {
		if scheme, _, ok := strings.Cut(p, "://"); p == "" || ok && !storage.Remote(p) {
			panic(fmt.Sprintf("tfrecordio: %q: no store is registered for the scheme %q", p, scheme))
		}
	}
}

// matchFn returns the files of all patterns of an element.
type matchFn struct {
	KeepMissing bool
	Shards      int    // required number of files; 0: any number
	Output      string // the set with that number of shards
}

// ProcessElement implements the DoFn.
func (fn *matchFn) ProcessElement(ctx context.Context, patterns []string, emit func(File)) error {
	files, err := Expand(ctx, patterns...)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Missing != "" && !fn.KeepMissing {
			return fmt.Errorf("tfrecordio: %s: %s", f.Name, f.Missing)
		}
	}
	if fn.Shards != 0 && fn.Shards != len(files) {
		return fmt.Errorf("tfrecordio: KeepShards: %s has %d shards for %d files", fn.Output, fn.Shards, len(files))
	}
	for _, f := range files {
		emit(f)
	}
	return nil
}

// Expand returns the files that [Match] returns with KeepMissing, for a program that needs the names before it makes a pipeline. The
// error means that a pattern is invalid.
func Expand(ctx context.Context, patterns ...string) (all []File, err error) {
	for _, pattern := range patterns {
		found, err := list(ctx, pattern)
		if err != nil {
			return nil, fmt.Errorf("tfrecordio: %w", err)
		}
		for _, f := range found {
			f.Ordinal = int64(len(all))
			all = append(all, f)
		}
	}
	return all, nil
}

// list returns the files that one pattern matches.
func list(ctx context.Context, pattern string) (all []File, err error) {
	if pattern == filelist.Stdin {
		return nil, errors.New("standard input (-) cannot be read by workers")
	}
	found, err := filelist.System(ctx).List([]string{pattern}, nil)
	if err != nil {
		return nil, err
	}
	for _, f := range found.Files {
		file := File{Name: f.Name}
		switch {
		case f.Set != nil:
			file.Missing = f.Set.Error()
		case f.Err != nil:
			file.Missing = f.Err.Error()
		}
		all = append(all, file)
	}
	for _, set := range found.Broken {
		if set.Missing == 0 { // the set has too many shards: no file in the list has this error
			all = append(all, File{Name: set.Set, Missing: set.Error()})
		}
	}
	return all, nil
}

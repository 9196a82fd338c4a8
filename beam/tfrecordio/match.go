package tfrecordio

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // files of the system work without an import
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

func init() {
	beam.RegisterType(reflect.TypeFor[File]())
	register.DoFn3x1[context.Context, []string, func(File), error](&matchFn{})
	register.Emitter1[File]()
	register.Function1x1(alone)
}

// A File is one of the files that patterns stand for. It is an element of a PCollection.
type File struct {
	Name string
	// Ordinal is its place among the files of the patterns, from 0: patterns in their order, what a
	// glob or a directory stands for by name, shards by their index.
	Ordinal int64
	// Missing says why there is nothing to read, as for a shard that a set lacks; it is empty for a
	// file. Match returns such a File only with MatchOptions.KeepMissing.
	Missing string
	// Records is how many intact records it has, where that is known: [ConvertFiles] and [ShuffleFiles] do not count them then. Match leaves
	// it zero.
	Records int64
}

// MatchOptions are the settings of [Match]. A nil *MatchOptions and every zero field mean the default.
type MatchOptions struct {
	// KeepMissing returns a File with Missing set for a pattern that names nothing and for a missing
	// shard of a set. Otherwise they fail the pipeline.
	KeepMissing bool
}

// Match returns the files that patterns stand for, as a PCollection<[File]>, spread over the workers.
//
// A pattern is what it is to the command: the name of a file; a directory, for its files; a sharded
// name, as train@16 or train@16.gz; or a glob, whose * does not match a "/". A set of shards
// names its size, so a missing shard is noticed. Names without a scheme are files of the system; others, as
// gs://, belong to the file system that the program has imported from Beam, where a name with *, ? or [ is always a glob.
func Match(s beam.Scope, opts *MatchOptions, patterns ...string) beam.PCollection {
	s = s.Scope("tfrecordio.Match")
	validate(patterns)
	return match(s, matchFn{KeepMissing: opts != nil && opts.KeepMissing}, beam.Create(s, patterns))
}

// MatchAll is [Match] for patterns in a PCollection<string>, each on its own: ordinals begin at 0 for each.
func MatchAll(s beam.Scope, opts *MatchOptions, patterns beam.PCollection) beam.PCollection {
	s = s.Scope("tfrecordio.MatchAll")
	return match(s, matchFn{KeepMissing: opts != nil && opts.KeepMissing}, beam.ParDo(s, alone, patterns))
}

// match returns the files of a PCollection<[]string>. Without Reshuffle one worker would read all of them.
func match(s beam.Scope, fn matchFn, patterns beam.PCollection) beam.PCollection {
	return beam.Reshuffle(s, beam.ParDo(s, &fn, patterns))
}

func alone(pattern string) []string { return []string{pattern} }

// validate panics, as Beam's own transforms do, if a pattern is empty or no file system has its names.
func validate(patterns []string) {
	if len(patterns) == 0 {
		panic("tfrecordio: no pattern")
	}
	for _, p := range patterns {
		if !storage.Remote(p) {
			filesystem.ValidateScheme(p)
		}
	}
}

// matchFn returns the files of all patterns of an element.
type matchFn struct {
	KeepMissing bool
	Shards      int    // how many files are wanted; 0: any number
	Output      string // the set that has that many shards
}

// ProcessElement implements the DoFn.
func (fn *matchFn) ProcessElement(ctx context.Context, patterns []string, emit func(File)) error {
	files, err := expand(ctx, patterns)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Missing != "" && !fn.KeepMissing {
			return fmt.Errorf("tfrecordio: %s: %s", f.Name, f.Missing)
		}
	}
	if fn.Shards != 0 && fn.Shards != len(files) {
		return fmt.Errorf("tfrecordio: a shard is kept for each file: %s has %d, and there are %d files", fn.Output, fn.Shards, len(files))
	}
	for _, f := range files {
		emit(f)
	}
	return nil
}

// expand returns the files that patterns stand for, in order. The error is a mistake in a pattern.
func expand(ctx context.Context, patterns []string) (all []File, err error) {
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

// list returns the files that one pattern stands for.
func list(ctx context.Context, pattern string) (all []File, err error) {
	if pattern == filelist.Stdin {
		return nil, errors.New("standard input (-) cannot be read by workers")
	}
	lister, scheme := filelist.System(ctx), ""
	if before, _, ok := strings.Cut(pattern, "://"); ok && !storage.Remote(pattern) {
		fsys, err := filesystem.New(ctx, pattern)
		if err != nil {
			return nil, err
		}
		defer fsys.Close()
		scheme = before + "://"
		lister = filelist.FS(&listing{ctx: ctx, fsys: fsys, scheme: scheme, known: map[string]bool{}})
	}
	found, err := lister.List([]string{strings.TrimPrefix(pattern, scheme)}, nil)
	if err != nil {
		return nil, err
	}
	for _, f := range found.Files {
		file := File{Name: scheme + f.Name}
		switch {
		case f.Set != nil:
			file.Missing = f.Set.Error()
		case f.Err != nil:
			file.Missing = f.Err.Error()
		}
		all = append(all, file)
	}
	for _, set := range found.Broken {
		if set.Missing == 0 { // surplus shards: no file stands for the fault
			all = append(all, File{Name: scheme + set.Set, Missing: set.Error()})
		}
	}
	return all, nil
}

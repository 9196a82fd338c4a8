package dataset

import (
	"context"

	"github.com/tfparse/tfparse/internal/filelist"
)

// stdinName is standard input among the patterns and in positions.
const stdinName = filelist.Stdin

// ErrNoMatch is wrapped by the FileError of a pattern without matches, or of a
// directory without files.
var ErrNoMatch = filelist.ErrNoMatch

// list returns the files that the patterns stand for. What is wrong with one of
// them is in its entry if errors are skipped, and else the error.
func (f *Files) list(ctx context.Context) ([]filelist.File, error) {
	list, err := f.opts.lister(ctx).List(f.patterns, nil)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, argumentf("%v", err)
	}
	if f.opts.SkipErrors {
		return list.Files, nil
	}
	for _, set := range list.Broken {
		return nil, &FileError{set.Set, set}
	}
	for _, file := range list.Files {
		if file.Err != nil {
			return nil, &FileError{file.Name, file.Err}
		}
	}
	return list.Files, nil
}

// lister returns what looks names up.
func (o *FilesOptions) lister(ctx context.Context) *filelist.Lister {
	switch {
	case o.FS != nil:
		return filelist.FS(o.FS)
	case o.Open != nil:
		return &filelist.Lister{}
	}
	return filelist.System(ctx)
}

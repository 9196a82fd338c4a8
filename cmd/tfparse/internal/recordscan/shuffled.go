package recordscan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/tfrecord"
)

// WalkShuffled calls v for the records of all inputs in a random order that seed decides, as
// dataset.FilesOptions.GlobalShuffle reads them. The inputs are regular files. To v they are one
// file, but positions have the name of each. A file that cannot be indexed ends the walk, with
// Options.Step too. warn is IndexedOptions.Warn.
func WalkShuffled(ctx context.Context, in []Input, opts *Options, seed uint64, warn func(message string), v Visitor) error {
	all := &File{Opened: true}
	var names []string
	for _, i := range in {
		if i.Err == nil {
			names = append(names, i.Name)
		} else if err := v.Skipped(FaultOf(i.Name, i.Err, nil)); err != nil {
			return stopped(err)
		}
	}
	if all.Name = fmt.Sprintf("%d files", len(names)); len(names) == 1 {
		all.Name = names[0]
	}
	if err := v.Begin(all); err != nil {
		return stopped(err)
	}
	var failed error // of v
	o := &dataset.FilesOptions{GlobalShuffle: true, Seed: seed, Reader: opts.Reader, SkipErrors: opts.Step, Budget: budget, Workers: runtime.GOMAXPROCS(0)}
	o.OnSkip = func(s dataset.Skipped) {
		if failed != nil || ctx.Err() != nil {
			return
		}
		lost := &tfrecord.SkippedRange{Begin: s.Offset, End: s.End, Records: s.Records}
		if s.Record < 0 {
			lost = nil
		}
		failed = v.Skipped(FaultOf(s.Name, s.Err, lost))
	}
	var modified []string
	o.OnFile = func(e dataset.FileEvent) {
		if e.ModTime != nil {
			modified = append(modified, e.Name)
		}
	}
	if p := opts.Progress; p != nil {
		o.OnProgress = func(records, bytes int64) { p.Records(int(records)); p.Bytes(int(bytes)) }
	}
	records := dataset.NewFilesNamed(names, o).Records(ctx)
	defer records.Close()
	for {
		rec, err := records.Next() // the first call opens all files
		warnModTime(warn, modified)
		modified = nil
		switch {
		case failed != nil:
			err = failed
		case err == nil:
			all.Count++
			err = v.Record(rec, records.Pos())
		case err == io.EOF:
			return stopped(v.End(all))
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			err = shuffledFault(err)
		}
		if err != nil {
			return stopped(err)
		}
	}
}

// shuffledFault is a Fault where the error has the name of a file.
func shuffledFault(err error) error {
	if te, ok := errors.AsType[*tfrecord.Error](err); ok {
		return FaultOf(te.Name, err, nil)
	}
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		return FaultOf(fe.Name, err, nil)
	}
	if errors.Is(err, tfrecord.ErrIndex) {
		return fmt.Errorf("%w; tfparse index makes it again", err)
	}
	return err
}

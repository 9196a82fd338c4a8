package tfrecordio

import (
	"context"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	beam.RegisterType(reflect.TypeFor[written]())
	register.Emitter1[written]()
}

// written is a shard that is complete, and has its name yet to come unless Temporary is empty.
type written struct {
	Shard     Shard
	Temporary string
	Size      int64  // of the file
	Sum       uint32 // CRC-32C of the file
}

// writeShard writes one file: each calls put for every record of it.
func writeShard(ctx context.Context, name string, o *WriteOptions, each func(put func(rec []byte) error) error) (w written, err error) {
	w.Shard.Name = name
	if err := ctx.Err(); err != nil { // no file is made after RemoveLeftovers
		return w, err
	}
	target := name
	if !o.direct(name) {
		target = hiddenName(name)
		w.Temporary = target
	}
	out, err := create(ctx, target, o.Direct)
	if err != nil {
		return w, fmt.Errorf("tfrecordio: %s: %w", name, reason(err))
	}
	defer out.abort()
	rw := tfrecord.NewWriter(out, o.writer())
	if err = each(func(rec []byte) error {
		w.Shard.Records++
		w.Shard.Bytes += int64(len(rec))
		return rw.WriteRecord(rec)
	}); err == nil {
		err = rw.Close()
	}
	if err == nil {
		err = out.commit()
	}
	if err != nil {
		return w, fmt.Errorf("tfrecordio: %s: %w", name, reason(err))
	}
	w.Size, w.Sum = out.size, out.sum.Sum32()
	counters.Written.Inc(ctx, w.Shard.Records)
	return w, nil
}

// hidden is what a hidden name has behind the name of the file, in front of a number. The names begin with a ".", so that
// no pattern of ours has them.
const hidden = ".tfparse-"

// hiddenName returns another name beside that of a file, a new one at each call: an attempt that an
// engine has given up may still write to its own.
func hiddenName(name string) string {
	dir, base := splitName(name)
	return fmt.Sprintf("%s.%s%s%016x", dir, base, hidden, rand.Uint64())
}

// splitName divides a name behind its last "/".
func splitName(name string) (dir, base string) {
	if strings.Contains(name, "://") || os.PathSeparator == '/' {
		return path.Split(name)
	}
	i := strings.LastIndexAny(name, `/\:`) + 1
	return name[:i], name[i:]
}

// direct reports whether a shard is written under its own name. Objects of the stores of package storage are: they have no
// other names, and appear as a whole.
func (o *WriteOptions) direct(name string) bool { return o.Direct || storage.Remote(name) }

// An output is a file under way.
type output struct {
	file
	size int64
	sum  hash.Hash32
}

// A file is one of package storage or of a file system of Beam, under way.
type file interface {
	io.Writer
	// commit completes the file.
	commit() error
	// abort drops the file, unless it is complete.
	abort()
}

// create begins a file. As for reading, what package storage has is preferred.
func create(ctx context.Context, name string, direct bool) (*output, error) {
	begin := createFile
	if storage.Remote(name) {
		begin = createObject
	}
	f, err := begin(ctx, name, direct)
	if err != nil {
		return nil, err
	}
	return &output{file: f, sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}, nil
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	o.size += int64(n)
	o.sum.Write(p[:n])
	return n, err
}

// An object is a file of package storage.
type object struct {
	storage.Output
	stop func() bool
}

func createObject(ctx context.Context, name string, _ bool) (file, error) {
	out, err := storage.Create(name)
	if err != nil {
		return nil, err
	}
	return &object{out, context.AfterFunc(ctx, out.Abort)}, nil
}

func (o *object) commit() error {
	err := o.Stage()
	if err == nil {
		err = o.Commit()
	}
	return err
}

func (o *object) abort() {
	o.stop()
	o.Abort()
}

// A beamFile is a file of a file system of Beam.
type beamFile struct {
	io.Writer
	ctx    context.Context
	name   string
	fsys   filesystem.Interface
	w      io.WriteCloser
	cancel context.CancelFunc // ends the requests of the file system
	direct bool
	done   bool
}

func createFile(ctx context.Context, name string, direct bool) (file, error) {
	fsys, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	requests, cancel := context.WithCancel(ctx)
	w, err := fsys.OpenWrite(requests, name)
	if err != nil {
		cancel()
		fsys.Close()
		return nil, err
	}
	return &beamFile{Writer: w, ctx: ctx, name: name, fsys: fsys, w: w, cancel: cancel, direct: direct}, nil
}

func (o *beamFile) commit() error {
	if f, ok := o.w.(interface{ Sync() error }); ok {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := o.w.Close(); err != nil {
		return err
	}
	o.done = true
	o.cancel()
	return o.fsys.Close()
}

// abort implements file. Where files appear when they are closed, as in object stores, Close would make a part of the shard into an
// object: the end of the context, before it, prevents that in those of Beam.
func (o *beamFile) abort() {
	if o.done {
		return
	}
	o.cancel()
	scheme, _, _ := strings.Cut(o.name, "://")
	if !o.direct || scheme == o.name || scheme == "gs" || scheme == "s3" {
		o.w.Close()
	}
	if r, ok := o.fsys.(filesystem.Remover); ok && (!o.direct || scheme == o.name) {
		r.Remove(context.WithoutCancel(o.ctx), o.name)
	}
	o.fsys.Close()
}

// sizeOf returns the size of a file. The error wraps [fs.ErrNotExist] where the file system says that.
func sizeOf(ctx context.Context, fsys filesystem.Interface, name string) (int64, error) {
	if strings.Contains(name, "://") {
		return fsys.Size(ctx, name)
	}
	info, err := os.Stat(name) // Beam's own leaves the file open
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	return info.Size(), nil
}

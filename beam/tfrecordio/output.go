package tfrecordio

import (
	"context"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	beam.RegisterType(reflect.TypeFor[written]())
	register.Emitter1[written]()
}

// written is a complete shard. It does not have its name yet, unless Temporary is empty.
type written struct {
	Shard     Shard
	Temporary string // hidden name of the file; empty for an object
	Size      int64  // size of the file, in bytes
	Sum       uint32 // CRC-32C of the file
}

// writeShard writes the file of one shard. each calls put for every record of the shard.
func writeShard(ctx context.Context, name string, o *WriteOptions, each func(put func(rec []byte) error) error) (w written, err error) {
	w.Shard.Name = name
	if err := ctx.Err(); err != nil { // create no file after RemoveLeftovers
		return w, err
	}
	target := name
	if !storage.Remote(name) { // objects are written atomically, under their own names
		target = hiddenName(name)
		w.Temporary = target
	}
	out, err := create(ctx, target)
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
		err = out.close()
	}
	if err != nil {
		return w, fmt.Errorf("tfrecordio: %s: %w", name, reason(err))
	}
	w.Size, w.Sum = out.size, out.sum.Sum32()
	counters.Written.Inc(ctx, w.Shard.Records)
	return w, nil
}

// hidden is the part of a hidden name between the name of the file and a random number. Hidden names begin with a ".", so that
// no pattern matches them.
const hidden = ".tfparse-"

// hiddenName returns a new hidden name in the directory of a file at each call: an attempt that an engine has given up may
// still write to its own hidden file.
func hiddenName(name string) string {
	dir, base := filepath.Split(name)
	return fmt.Sprintf("%s.%s%s%016x", dir, base, hidden, rand.Uint64())
}

// An output is a file that is being written.
type output struct {
	w     io.Writer
	close func() error // completes the file
	abort func()       // removes the file, unless it is complete
	size  int64        // bytes written
	sum   hash.Hash32  // CRC-32C of these bytes
}

// create creates an object of a store, or a file of the system.
func create(ctx context.Context, name string) (*output, error) {
	o := &output{sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}
	if storage.Remote(name) {
		object, err := storage.Create(name)
		if err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, object.Abort)
		o.w = object
		o.close = func() error {
			if err := object.Stage(); err != nil {
				return err
			}
			return object.Commit()
		}
		o.abort = func() { stop(); object.Abort() }
		return o, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	complete := false
	o.w = f
	o.close = func() error {
		if err := f.Sync(); err != nil {
			return err
		}
		err := f.Close()
		complete = err == nil
		return err
	}
	o.abort = func() {
		if !complete {
			f.Close()
			os.Remove(name)
		}
	}
	return o, nil
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.size += int64(n)
	o.sum.Write(p[:n])
	return n, err
}

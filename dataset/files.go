package dataset

import (
	"context"
	"io"
	"io/fs"
	"runtime"
	"sync"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/tfrecord"
)

// FilesOptions are the settings of [Files]. A nil *FilesOptions and every zero field
// mean the default.
//
// What happens to the records happens in this order:
//
//	Shard by file, ShuffleFiles                 which files there are, and their order
//	Filter                                      which records of each file there are
//	Interleave                                  which record is next
//	Shard by record, Skip, Take, Shuffle        which records remain, and their order
//	Repeat                                      all of the above again, shuffled anew
//	the batch, DropRemainder                    batches do not end where an epoch ends
//
// so it is what a chain of tf.data's methods in this order does, where interleave reads each file as a dataset with a
// filter of its own. With GlobalShuffle the first three lines are Shard by file, GlobalShuffle, Shard by record, Filter.
type FilesOptions struct {
	// FS is where patterns are looked up and files opened. The default is the files
	// of the system, and those of object stores if the program has registered them: see the nested module store.
	FS fs.FS
	// Open opens a file, where FS does not: in an object store, for example. Reading
	// from what it returns should end when ctx is done. It is called by several
	// goroutines. Without FS, globs and directories cannot be looked up: such a
	// pattern is the name of a file then.
	Open func(ctx context.Context, name string) (io.ReadCloser, error)
	// Stdin is what "-" reads. The default is os.Stdin.
	Stdin io.Reader
	// Reader has the codec and the limits for reading. The name in it is not used.
	Reader tfrecord.ReaderOptions
	// Format, if not nil, is asked for each file that was opened: for one of another format than TFRecord it returns what reads the
	// records from r, the content of the file, else nil. It is called by several goroutines. What Reader says is not for such a file. It does not go together with GlobalShuffle.
	Format func(name string, r io.Reader) RecordReader

	// SkipErrors skips damage, as [tfrecord.Reader.Recover] does, files that cannot be opened, and
	// records that do not fit the spec, and reads on. By default the first of these is an
	// error, which ends the stream.
	SkipErrors bool
	// OnSkip is called for everything that is skipped, in order, on the goroutine that calls
	// Next. Stats counts it in any case.
	OnSkip func(Skipped)

	// Filter selects records by their content: those for which it returns true. It is called for
	// every record, by several goroutines at once, and must neither keep nor
	// change the record. An error counts as a record that does not fit the spec. The default
	// selects all records.
	Filter func(record []byte) (bool, error)

	// Resume is the position at which the stream begins, as returned by State of an earlier
	// stream. The files and the options must be the same as then; only Workers, Prefetch, Budget
	// and the size of batches may differ, and functions must give the same results. Otherwise the
	// first Next returns an error that wraps ErrState. OnSkip for records that were
	// read ahead may be called twice or not at all for the same thing, and Stats begin at zero.
	// A file that was open is read again up to its position: only the headers, or all of it if
	// it is compressed. The records of the shuffle buffer are read again in the same way. The
	// default is the beginning.
	Resume *State

	// Shard takes one part of the files, or of the records. The default is all.
	Shard Shard
	// ShuffleFiles puts the files in another order in every epoch. Shuffle alone mixes
	// what is near each other. By default files keep their order.
	ShuffleFiles bool
	// Interleave is the number of files from which records are taken in turn, one from each,
	// as num_parallel_reads of a TFRecordDataset does. The default of 1 reads one file after
	// another.
	Interleave int
	// Skip is the number of records that are left out at the beginning of every epoch, before
	// Shuffle picks any. The default is 0. To continue where a stream stopped, see Resume.
	Skip int64
	// Take is the largest number of records of an epoch. The default of 0 takes all.
	Take int64
	// Shuffle is the size of the shuffle buffer, in records: the next record is picked from
	// the buffer, which is filled before there is any. The default of 0 keeps the order.
	Shuffle int
	// ShuffleBytes bounds the shuffle buffer by the bytes of the records in it, which has
	// fewer records then. The default is 1 GiB.
	ShuffleBytes int64
	// GlobalShuffle reads the records of all files in one random order, another in every epoch, which
	// Seed decides. There is no buffer: the place of the next record is computed, and an
	// index says where its bytes are. The index is that beside the file, with [tfrecord.IndexExtension], or it is
	// made when the stream begins, by reading the file once; later streams of the same Files use it
	// again. An index of a file that was modified at another time, as a copy is, is used as with
	// [tfrecord.IndexedOptions.OnModTime]. It takes two to four bytes of memory for each record. The files must be regular files,
	// or Open must return an [io.ReaderAt] that is also an [io.Seeker] or has the method Stat of
	// [fs.File]; what is missing it reports by an error that wraps [fs.ErrNotExist]. A
	// file without an index that cannot be made, because it is damaged or a pipe, is an error,
	// with SkipErrors too.
	//
	// Shard by record takes every Count-th record of this order, before Filter, and reads no others.
	// Skip and Take count records of this order: Take is a random sample. ShuffleFiles,
	// Interleave and Shuffle cannot be set with it.
	GlobalShuffle bool
	// Seed is what the order of Shuffle, ShuffleFiles and GlobalShuffle depends on, besides the epoch.
	// Equal seeds give equal orders; they are not those of TensorFlow. Zero is a
	// seed like any other.
	Seed uint64
	// Repeat is the number of epochs. The default of 0 is one epoch; -1 repeats for ever,
	// but not after an epoch without records, or without one that fits the spec.
	Repeat int64
	// DropRemainder leaves out the last batch if it has fewer rows than the others. By default
	// it is returned.
	DropRemainder bool

	// Workers is the number of goroutines that parse. As many files are read at once, each by a
	// goroutine of its own, or Interleave if that is more. The default is
	// GOMAXPROCS. With 1 there are no goroutines unless Prefetch asks for them: everything is
	// done in the calls of Next. The order of the records does not depend on it.
	Workers int
	// Prefetch is the number of batches that are parsed before they are asked for, besides
	// those that the workers are at. The default is half the number of workers, and 0 for one
	// worker; a negative number is none.
	Prefetch int
	// Budget is the largest number of bytes of records that were read and are not yet handed
	// out: see Memory in the package comment. The default is 128 MiB. It
	// does not count the shuffle buffer.
	Budget int64
}

// A Shard is one of Count parts of equal size. The zero value is all there is.
type Shard struct {
	Index, Count int
	// ByRecord takes every Count-th record, which every part must read all files for.
	// Otherwise it is every Count-th file.
	ByRecord bool
}

// defaultBudget is FilesOptions.Budget unless set.
const defaultBudget = 128 << 20

// Files is a list of TFRecord files and how they are read. It is immutable and safe for
// concurrent use; every call of Records or Batches reads the files anew, in memory that
// earlier streams do not need any more. The zero value is not usable.
type Files struct {
	patterns []string
	opts     FilesOptions
	memory   *freeMemory
}

// freeMemory is memory that no stream uses, and what later streams need not find out again.
type freeMemory struct {
	buffers feed.Buffers
	indexes feed.Indexes
	rows    sync.Pool // of *rows
}

// NewFiles makes a list of files. It looks at nothing yet. A pattern is one of these; the
// first that applies counts:
//
//	"-"                          standard input, which can be read once
//	the name of a file           that file
//	the name of a directory      its regular files, in the order of their names
//	train@3, train@3.gz          train-00000-of-00003 to train-00002-of-00003, with the
//	                             extension behind each
//	a glob of *, ? and [...]     what matches, shards in the order of their numbers, as
//	                             train-*-of-00003
//
// In a directory, files are left out that begin with . or _, and those whose names or content say that
// they are no TFRecords, as README.md, features.json, and texts. Directories in it are not looked
// into. A wildcard does not match a leading dot, and ** is refused.
//
// Every shard of a set must be there, also of a set that a glob or a directory stands for, and
// no shard beyond its size, and every pattern must stand for something. Otherwise that is an
// error before anything is read; with SkipErrors what is there is read. A shard that is named by itself may be read by itself.
func NewFiles(patterns []string, opts *FilesOptions) *Files {
	f := &Files{patterns: append([]string(nil), patterns...), memory: &freeMemory{}}
	if opts != nil {
		f.opts = *opts
	}
	return f
}

// Names returns the names of the files in the order in which they are read, unless
// ShuffleFiles is set.
func (f *Files) Names() ([]string, error) {
	entries, err := f.list(context.Background())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names, nil
}

// Records begins to read the records of the files. Reading ends when ctx is done.
func (f *Files) Records(ctx context.Context) *Records {
	r := &Records{block: new(feed.Block)}
	r.begin(ctx, f, nil)
	return r
}

// Batches begins to parse the records of the files into batches of n rows, the last
// of which may have fewer. Reading ends when ctx is done.
func (f *Files) Batches(ctx context.Context, p *feature.Parser, n int) *Batches {
	b := &Batches{parser: p, size: n}
	b.begin(ctx, f)
	return b
}

// check looks for settings that make no sense.
func (o *FilesOptions) check() error {
	for _, f := range []struct {
		name  string
		value int64
		least int64
	}{
		{"Interleave", int64(o.Interleave), 0},
		{"Skip", o.Skip, 0},
		{"Take", o.Take, 0},
		{"Shuffle", int64(o.Shuffle), 0},
		{"ShuffleBytes", o.ShuffleBytes, 0},
		{"Repeat", o.Repeat, -1},
		{"Workers", int64(o.Workers), 0},
		{"Budget", o.Budget, 0},
		{"Shard.Count", int64(o.Shard.Count), 0},
	} {
		if f.value < f.least {
			return argumentf("%s is %d, at least %d is wanted", f.name, f.value, f.least)
		}
	}
	if o.GlobalShuffle {
		for _, f := range []struct {
			name string
			set  bool
		}{
			{"ShuffleFiles", o.ShuffleFiles}, {"Interleave", o.Interleave > 1},
			{"Shuffle", o.Shuffle > 0},
		} {
			if f.set {
				return argumentf("GlobalShuffle and %s are set: both decide which record is next", f.name)
			}
		}
		if o.Format != nil {
			return argumentf("GlobalShuffle and Format are set: only TFRecords are read in any order")
		}
	}
	if s := o.Shard; s.Index < 0 || s.Index >= max(s.Count, 1) {
		return argumentf("Shard.Index is %d, of %d shards", s.Index, max(s.Count, 1))
	}
	return nil
}

// plan makes what feed needs.
func (f *Files) plan(ctx context.Context) (feed.Config, error) {
	o := &f.opts
	if err := o.check(); err != nil {
		return feed.Config{}, err
	}
	entries, err := f.list(ctx)
	if err != nil {
		return feed.Config{}, err
	}
	c := feed.Config{
		Reader: o.Reader, Budget: o.Budget, Recover: o.SkipErrors,
		Cycle: max(o.Interleave, 1), ShuffleFiles: o.ShuffleFiles,
		Skip: o.Skip, Take: o.Take, Shuffle: o.Shuffle, ShuffleBytes: o.ShuffleBytes, Seed: o.Seed,
		Filter: o.Filter, Epochs: o.Repeat, Buffers: &f.memory.buffers,
		FileError: func(name string, err error) error { return &FileError{name, reason(err)} },
	}
	if c.Take == 0 {
		c.Take = -1
	}
	if c.Epochs == 0 {
		c.Epochs = 1
	}
	if c.Budget == 0 {
		c.Budget = defaultBudget
	}
	if c.ShuffleBytes == 0 {
		c.ShuffleBytes = 1 << 30
	}
	if o.Shard.ByRecord {
		c.Shards, c.Shard = int64(o.Shard.Count), int64(o.Shard.Index)
	}
	if o.Format != nil {
		c.Format = func(name string, r io.Reader) feed.RecordReader {
			if other := o.Format(name, r); other != nil {
				return other
			}
			return nil // not other, which is another interface
		}
	}
	failed := map[string]error{}
	for i, e := range entries {
		if !o.Shard.ByRecord && o.Shard.Count > 1 && i%o.Shard.Count != o.Shard.Index {
			continue
		}
		if e.Err != nil {
			failed[e.Name] = e.Err
		}
		if e.Name == stdinName && c.Epochs != 1 {
			return feed.Config{}, argumentf("Repeat is %d, and standard input can be read once", o.Repeat)
		}
		if e.Name == stdinName && o.GlobalShuffle {
			return feed.Config{}, argumentf("GlobalShuffle is set, and standard input cannot be read in any order")
		}
		c.Names = append(c.Names, e.Name)
	}
	if o.GlobalShuffle {
		c.GlobalShuffle, c.Indexes = true, &f.memory.indexes
	}
	c.Open = func(ctx context.Context, name string) (io.ReadCloser, error) {
		if err := failed[name]; err != nil {
			return nil, err
		}
		return o.open(ctx, name)
	}
	if workers, prefetch := o.workers(); workers > 1 || prefetch > 0 {
		c.Readers = max(workers, c.Cycle) // with GlobalShuffle, stretches that are read at once
	}
	return c, nil
}

// workers returns how many goroutines parse, and how many batches are kept ready.
func (o *FilesOptions) workers() (n, prefetch int) {
	n = o.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	switch {
	case o.Prefetch > 0:
		prefetch = o.Prefetch
	case o.Prefetch == 0 && n > 1:
		prefetch = (n + 1) / 2
	}
	return n, prefetch
}

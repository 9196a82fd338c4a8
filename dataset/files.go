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

// FilesOptions are the settings of [Files]. A nil *FilesOptions and zero fields select the
// defaults.
//
// The options apply in this order. It is the order of a chain of tf.data's methods, in which
// interleave reads each file as a dataset with its own filter:
//
//	Shard by file, ShuffleFiles           selects and orders the files
//	Filter                                selects records of each file
//	Interleave                            orders the records
//	Shard by record, Skip, Take, Shuffle  select and reorder records
//	Repeat                                all of the above for each epoch, shuffled anew
//	batches, DropRemainder                batches cross the ends of epochs
//
// With GlobalShuffle the first three lines are Shard by file, GlobalShuffle, Shard by record,
// Filter.
type FilesOptions struct {
	// FS is the file system of patterns and files. The default is the operating system's, and the
	// object stores that the program has registered: see the nested module store.
	FS fs.FS
	// Open opens a file in place of FS, for example in an object store. Reading from the result should
	// end when ctx is done. Several goroutines call it. Without FS, globs and directories are not
	// expanded: such a pattern is the name of a file.
	Open   func(ctx context.Context, name string) (io.ReadCloser, error)
	Stdin  io.Reader              // Stdin is read for "-". The default is os.Stdin.
	Reader tfrecord.ReaderOptions // Reader has the codec and the limits for reading. Its name is not used.
	// Format, if not nil, returns a reader for a file of another format than TFRecord, given its
	// content, and nil for a TFRecord. The options in Reader do not apply to such a file. Several
	// goroutines call it. It cannot be combined with GlobalShuffle.
	Format func(name string, r io.Reader) RecordReader

	// SkipErrors continues after damage, as [tfrecord.Reader.Recover] does, after files that cannot be
	// opened, and after records that do not fit the spec. By default the stream ends with an error at
	// the first of these.
	SkipErrors bool
	// OnSkip is called for everything that is skipped, in order, on the goroutine that calls Next.
	// Stats counts it in any case.
	OnSkip func(Skipped)

	// Filter selects the records for which it returns true. Several goroutines call it at once, for
	// every record, which it must neither keep nor change. An error counts as a record that does not
	// fit the spec. The default selects all records.
	Filter func(record []byte) (bool, error)

	// Resume is the position at which the stream begins, from State of an earlier stream. The files
	// and the options must be the same as then; only Workers, Prefetch, Budget and the size of batches
	// may differ, and functions must return the same results. Otherwise the first Next returns an
	// error that wraps ErrState. OnSkip may be called twice or not at all for records that were read
	// ahead, and Stats begin at zero. A file that was open is read again up to its position: only the
	// headers, or everything if it is compressed. The records of the shuffle buffer are read again in
	// the same way. The default is the beginning.
	Resume *State

	Shard Shard // Shard selects one part of the files or of the records. The default is everything.
	// ShuffleFiles orders the files anew in every epoch, since Shuffle alone mixes records that are
	// near each other. By default files keep their order.
	ShuffleFiles bool
	// Interleave is the number of files from which records are taken in turn, as num_parallel_reads of
	// TFRecordDataset does. The default of 1 reads one file after another.
	Interleave int
	// Skip is the number of records that are left out at the beginning of every epoch, before Shuffle.
	// The default is 0. To continue an earlier stream, see Resume.
	Skip int64
	Take int64 // Take is the maximum number of records of an epoch. The default of 0 takes all.
	// Shuffle is the size of the shuffle buffer in records. The next record is picked from the buffer,
	// which is filled first. The default of 0 keeps the order.
	Shuffle int
	// ShuffleBytes limits the bytes of the records in the shuffle buffer. The default is 1 GiB.
	ShuffleBytes int64
	// GlobalShuffle reads the records of all files in one random order, which Seed determines for
	// each epoch. There is no buffer: the ordinal of the next record is computed, and an index has
	// its offset. The index is the file beside the data with [tfrecord.IndexExtension], or it is
	// built when the stream begins, by reading the file once; later streams of the same Files reuse
	// it. If the data were modified at another time, as copies are, the index is accepted under the
	// conditions of [tfrecord.IndexedOptions.OnModTime]. It takes two to four bytes of memory for
	// each record. The files must be regular files, or Open must return an [io.ReaderAt] that is
	// also an [io.Seeker] or has the method Stat of [fs.File], and report a missing file by an error
	// that wraps [fs.ErrNotExist]. A file without an index that is damaged or a pipe is an error,
	// also with SkipErrors.
	//
	// Shard by record takes every Count-th record of this order, before Filter, and reads only these.
	// Skip and Take count records of this order: Take is a random sample. ShuffleFiles, Interleave and
	// Shuffle cannot be set with it.
	GlobalShuffle bool
	// Seed determines the order of Shuffle, ShuffleFiles and GlobalShuffle, together with the epoch.
	// Equal seeds give equal orders; they are not those of TensorFlow. Zero is a valid seed.
	Seed uint64
	// Repeat is the number of epochs. The default of 0 is one epoch; -1 repeats without end, unless an
	// epoch has no record that fits the spec.
	Repeat        int64
	DropRemainder bool // DropRemainder leaves out a last batch with fewer rows than the others.

	// Workers is the number of goroutines that parse. As many files are read at once, each by a
	// goroutine of its own, or Interleave if that is more. The default is GOMAXPROCS. With 1 there are
	// no goroutines unless Prefetch asks for them: the calls of Next do everything. The order of the
	// records does not depend on Workers.
	Workers int
	// Prefetch is the number of batches that are parsed in advance, besides those that the workers are
	// parsing. The default is half the number of workers, and 0 for one worker; a negative number
	// means 0.
	Prefetch int
	// Budget is the maximum number of bytes of records that were read and are not yet returned: see
	// Memory in the package comment. The default is 128 MiB. It does not include the shuffle buffer.
	Budget int64
}

// A Shard is one of several parts of equal size. The zero value is everything.
type Shard struct {
	Index, Count int // index of the part, from 0, and number of parts; a Count of 0 means 1
	// ByRecord takes every Count-th record, so that every part reads all files. Otherwise it takes
	// every Count-th file.
	ByRecord bool
}

// defaultBudget is the default of FilesOptions.Budget.
const defaultBudget = 128 << 20

// Files is a list of TFRecord files and the settings for reading them. It is immutable and safe for
// concurrent use. Every call of Records or Batches reads the files anew and reuses the memory of
// earlier streams. The zero value is not usable.
type Files struct {
	patterns []string      // patterns of NewFiles
	opts     FilesOptions  // options of NewFiles
	shared   *sharedMemory // memory shared by the streams
}

// sharedMemory is the memory that later streams reuse.
type sharedMemory struct {
	buffers feed.Buffers // buffers of records
	indexes feed.Indexes // indexes of files, for GlobalShuffle
	rows    sync.Pool    // pool of *batchRows
}

// NewFiles returns a list of files. It does not look anything up yet. A pattern is the first of
// these that applies:
//
//	"-"                          standard input, which can be read once
//	the name of a file           that file
//	the name of a directory      its regular files, in the order of their names
//	train@3, train@3.gz          train-00000-of-00003 to train-00002-of-00003, with the
//	                             extension after each
//	a glob of *, ? and [...]     its matches, shards in the order of their indexes, as
//	                             train-*-of-00003
//
// In a directory, files are left out whose names begin with . or _, or whose names or content are
// not those of TFRecords, such as features.json and texts. Its subdirectories are not searched. A
// wildcard does not match a leading dot, and ** is an error.
//
// A set of shards must be complete, also a set from a glob or a directory, without shards beyond
// its size, and every pattern must match a file. Otherwise there is an error before anything is
// read; with SkipErrors the existing files are read. A shard may be read alone by its own name.
func NewFiles(patterns []string, opts *FilesOptions) *Files {
	f := &Files{patterns: append([]string(nil), patterns...), shared: &sharedMemory{}}
	if opts != nil {
		f.opts = *opts
	}
	return f
}

// Names returns the names of the files in the order in which they are read without ShuffleFiles.
func (f *Files) Names() ([]string, error) {
	entries, err := f.listFiles(context.Background())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names, nil
}

// Records returns a stream of the records of the files. Reading ends when ctx is done.
func (f *Files) Records(ctx context.Context) *Records {
	r := &Records{block: new(feed.Block)}
	r.startReading(ctx, f, nil)
	return r
}

// Batches returns a stream of batches of n rows, parsed from the records of the files. The last
// batch may have fewer rows. Reading ends when ctx is done.
func (f *Files) Batches(ctx context.Context, p *feature.Parser, n int) *Batches {
	b := &Batches{parser: p, size: n}
	b.startBatches(ctx, f)
	return b
}

// checkSettings returns an error if settings are out of range or cannot be combined.
func (o *FilesOptions) checkSettings() error {
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
			return argumentError("%s: want at least %d, got %d", f.name, f.least, f.value)
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
				return argumentError("GlobalShuffle cannot be combined with %s: both order the records", f.name)
			}
		}
		if o.Format != nil {
			return argumentError("GlobalShuffle cannot be combined with Format: only TFRecords have indexes")
		}
	}
	if s := o.Shard; s.Index < 0 || s.Index >= max(s.Count, 1) {
		return argumentError("Shard.Index: want 0 to %d, got %d", max(s.Count, 1)-1, s.Index)
	}
	return nil
}

// feedConfig lists the files and translates the options for package feed.
func (f *Files) feedConfig(ctx context.Context) (feed.Config, error) {
	o := &f.opts
	if err := o.checkSettings(); err != nil {
		return feed.Config{}, err
	}
	entries, err := f.listFiles(ctx)
	if err != nil {
		return feed.Config{}, err
	}
	c := feed.Config{
		Reader: o.Reader, Budget: o.Budget, Recover: o.SkipErrors,
		Cycle: max(o.Interleave, 1), ShuffleFiles: o.ShuffleFiles,
		Skip: o.Skip, Take: o.Take, Shuffle: o.Shuffle, ShuffleBytes: o.ShuffleBytes, Seed: o.Seed,
		Filter: o.Filter, Epochs: o.Repeat, Buffers: &f.shared.buffers,
		FileError: func(name string, err error) error { return &FileError{name, withoutPath(err)} },
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
			return nil
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
		if e.Name == stdinPattern && c.Epochs != 1 {
			return feed.Config{}, argumentError("Repeat is %d: standard input can be read only once", o.Repeat)
		}
		if e.Name == stdinPattern && o.GlobalShuffle {
			return feed.Config{}, argumentError("GlobalShuffle is set: standard input cannot be indexed")
		}
		c.Names = append(c.Names, e.Name)
	}
	if o.GlobalShuffle {
		c.GlobalShuffle, c.Indexes = true, &f.shared.indexes
	}
	c.Open = func(ctx context.Context, name string) (io.ReadCloser, error) {
		if err := failed[name]; err != nil {
			return nil, err
		}
		return o.openFile(ctx, name)
	}
	if workers, prefetch := o.workerCount(); workers > 1 || prefetch > 0 {
		c.Readers = max(workers, c.Cycle) // with GlobalShuffle: number of ranges of the order that are read at once
	}
	return c, nil
}

// workerCount returns how many goroutines parse, and how many batches are prefetched.
func (o *FilesOptions) workerCount() (n, prefetch int) {
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

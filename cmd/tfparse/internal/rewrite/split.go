package rewrite

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A split divides records among files: by size, by the number of records, or by fractions.
type split struct {
	job
	records int64    // --records-per-shard; 0: not given
	bytes   cli.Size // --bytes-per-shard; 0: not given
	texts   []string // values of --part
	keys    []string // --by; nil: divide by the hash of the record
	salt    string   // --salt: precedes the key in the hash

	parts []splitPart // of --part, in the order of the command line; set by byHash
}

// A splitPart is an output of --part, which gets a fraction of the records.
type splitPart struct {
	end           float64 // sum of the fractions up to this part
	first, shards int     // index of its first shard in the output; number of its shards
	next          int     // shard of the next record, from 0
}

// Split returns the verb split, which divides records among files.
func Split() *cli.Command {
	v := &split{}
	var by cli.NameList
	return &cli.Command{
		Name: "split",
		Flags: func(fs *pflag.FlagSet) {
			cli.NumberVar(fs, &v.records, "records-per-shard", 0, 1, "write `N` records to a shard")
			fs.TextVar(&v.bytes, "bytes-per-shard", &v.bytes, "write at most `SIZE` bytes to a shard, as 100MiB")
			fs.Lookup("bytes-per-shard").DefValue = "0" // no default is shown
			fs.StringArrayVar(&v.texts, "part", nil, "write a part of the records, `OUT=FRACTION`; repeatable")
			cli.FeaturesVar(fs, &by, "by", "divide by these `FEATURES`, as a,b; repeatable")
			fs.StringVar(&v.salt, "salt", "", "put `TEXT` in front of each value")
			v.addFlags(fs)
			v.addShardFlags(fs)
			v.reading.Rules(fs,
				scan.Excludes("records-per-shard", "bytes-per-shard", "part", "keep-shards"), scan.Excludes("bytes-per-shard", "part", "keep-shards"),
				scan.Excludes("part", "output"), scan.Needs("by", "part"), scan.Needs("salt", "part"))
		},
		Run: func(e *cli.Env, args []string) (err error) {
			if v.keys, err = by.Names("by"); err != nil {
				return err
			}
			v.sought = scan.NewFeatureSearch("--by")
			v.sought.Add(scan.InContext, v.keys...)
			modes := 0
			for _, given := range []bool{v.records != 0, v.bytes != 0, v.texts != nil} {
				if given {
					modes++
				}
			}
			switch {
			case v.texts == nil && !cli.IsFile(v.writing.Output):
				return cli.Usagef("want -o OUT, or --part OUT=FRACTION")
			case modes == 0 && !filelist.IsSharded(filepath.ToSlash(v.writing.Output)):
				return cli.Usagef("-o %s: want a name such as %s@16, or --records-per-shard, --bytes-per-shard or --part", v.writing.Output, v.writing.Output)
			}
			if v.texts != nil {
				return v.byHash(e, args)
			}
			if modes == 0 {
				return v.runCopy(e, args)
			}
			return v.bySize(e, args)
		},
	}
}

// byHash divides records among the parts by the hashes of their keys.
func (v *split) byHash(e *cli.Env, args []string) error {
	if err := v.expand(e, args); err != nil {
		return err
	}
	opts, err := v.writing.Options()
	if err != nil {
		return err
	}
	var names []string
	taken := map[string]bool{}
	sum := 0.0
	for _, text := range v.texts {
		i := strings.LastIndexByte(text, '=')
		if i < 1 {
			return cli.Usagef("--part %s: want OUT=FRACTION", text)
		}
		fraction, err := strconv.ParseFloat(text[i+1:], 64)
		if err != nil || !(fraction > 0 && fraction <= 1) {
			return cli.Usagef("--part %s: want a fraction above 0 and up to 1", text)
		}
		name := text[:i]
		if !cli.IsFile(name) {
			return cli.Usagef("--part %s: want the name of a file", text)
		}
		shards, err := v.shardNames(text, name)
		if err != nil {
			return err
		}
		sum += fraction
		v.parts = append(v.parts, splitPart{end: sum, first: len(names), shards: len(shards)})
		for _, shard := range shards {
			if shard = storage.Clean(shard); taken[shard] {
				return cli.Usagef("--part %s: the file %s is given twice", text, shard)
			}
			taken[shard] = true
		}
		names = append(names, shards...)
	}
	if math.Abs(sum-1) > 1e-9 {
		return cli.Usagef("the fractions of --part add up to %s; want 1", strconv.FormatFloat(sum, 'g', 6, 64))
	}
	v.parts[len(v.parts)-1].end = 2 // above 1, in case the sum was rounded down
	if v.writing.KeepShards && len(v.in) == 0 {
		return nil
	}
	if v.out, err = e.CreateShards(names, scan.Names(v.in), opts, v.jobs); err != nil {
		return err
	}
	return v.finish(v.divide(), noRecordsReason)
}

// shardNames returns the files that a part is written to.
func (v *split) shardNames(text, name string) ([]string, error) {
	if v.writing.KeepShards {
		return v.writing.KeptNames("--part "+text, name, v.reading.FirstFile, len(v.in), len(v.reading.AllInputs))
	}
	shards, err := filelist.ShardNames(name)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return shards, nil
}

// divide writes each record to the part of its key.
func (v *split) divide() error {
	src, err := v.open(v.keys != nil)
	if err != nil {
		return err
	}
	defer func() { v.recordsRead = src.Read }()
	keys := newKeyReader(src.Type, v.keys)
	key := []byte(v.salt)
	return src.Each(func(rec scan.Record) error {
		key = key[:len(v.salt)]
		if v.keys == nil {
			key = append(key, rec.Bytes...)
			return v.writeToPart(key, src.File().Index, rec)
		}
		if held, err := v.sought.Held(); held {
			return err
		}
		var err error
		if key, err = keys.appendText(key, rec.Bytes); err != nil {
			refused := src.Refuse(rec, err)
			if errors.Is(err, errNoKey) && !v.reading.MissingFeaturesAllowed() {
				return v.sought.Hold(refused)
			}
			return refused
		}
		return v.writeToPart(key, src.File().Index, rec)
	})
}

// writeToPart writes a record of an input file to the part of its key.
func (v *split) writeToPart(key []byte, file int, rec scan.Record) error {
	u := float64(dataset.KeyHash(key)>>11) / (1 << 53)
	k := 0
	for u >= v.parts[k].end {
		k++
	}
	p := &v.parts[k]
	if v.writing.KeepShards {
		return v.out.WriteTo(p.first+file, rec.Bytes)
	}
	shard := p.first + p.next
	p.next = (p.next + 1) % p.shards
	return v.out.WriteTo(shard, rec.Bytes)
}

// A shardSizer assigns consecutive records to shards of a limited size.
type shardSizer struct {
	records, bytes           int64 // limits of a shard; one of them is 0: no limit
	shard                    int   // index of the current shard
	shardRecords, shardBytes int64 // assigned to the current shard
}

// shardOf returns the shard of the next record.
func (s *shardSizer) shardOf(rec []byte) int {
	size := int64(len(rec)) + tfrecord.HeaderSize + tfrecord.FooterSize
	if s.shardRecords > 0 && (s.records > 0 && s.shardRecords == s.records || s.bytes > 0 && s.shardBytes+size > s.bytes) {
		s.shard++
		s.shardRecords, s.shardBytes = 0, 0
	}
	s.shardRecords++
	s.shardBytes += size
	return s.shard
}

// bySize divides records by number or by size. It reads the input twice: first to count the shards, whose number is
// in their names. The records of a pipe are kept in a Sorter instead.
func (v *split) bySize(e *cli.Env, args []string) error {
	if err := v.expand(e, args); err != nil {
		return err
	}
	opts, err := v.writing.Options()
	if err != nil {
		return err
	}
	var spool *extsort.Sorter // keeps the records of a pipe
	if !scan.ReadTwice(v.in) {
		spool = extsort.New(e.Ctx, defaultMemory, v.writing.Output)
		defer spool.Close()
	}
	first := shardSizer{records: v.records, bytes: int64(v.bytes)}
	v.faultsReported = spool == nil // report faults in the second reading only
	src, err := v.open(false)
	if err != nil {
		return err
	}
	err = src.Each(func(rec scan.Record) error {
		first.shardOf(rec.Bytes)
		if spool != nil {
			return spool.Add(nil, rec.Bytes) // equal keys stay in order
		}
		return nil
	})
	if err != nil {
		return err
	}
	name := numberedName(v.writing.Output, first.shard+1)
	names, err := filelist.ShardNames(name)
	if err != nil {
		return cli.Usage(err)
	}
	if v.out, err = e.CreateShards(names, scan.Names(v.in), opts, v.jobs); err != nil {
		return err
	}
	second := shardSizer{records: v.records, bytes: int64(v.bytes)}
	write := func(rec []byte) error {
		v.recordsRead++
		shard := second.shardOf(rec)
		if shard > first.shard {
			return fmt.Errorf("input changed while it was read: more records than before")
		}
		return v.out.WriteTo(shard, rec)
	}
	if spool != nil {
		err = spool.Each(func(_, rec []byte) error { return write(rec) })
	} else {
		v.faultsReported = false
		if src, err = v.open(false); err == nil {
			err = src.Each(func(rec scan.Record) error { return write(rec.Bytes) })
		}
	}
	return v.finish(err, noRecordsReason)
}

// numberedName adds the number of shards to a name, before the extensions of record files.
func numberedName(name string, shards int) string {
	base, ext := name, ""
	for cli.RecordExt(base) {
		e := filepath.Ext(base)
		base, ext = strings.TrimSuffix(base, e), e+ext
	}
	return fmt.Sprintf("%s@%d%s", base, shards, ext)
}

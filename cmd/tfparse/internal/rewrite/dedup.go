package rewrite

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
)

// A dedup drops repeated records. It reads files twice: first it sorts the digests of all records to find the
// ordinals of repeats, then it copies the other records. It reads pipes once and sorts the records together with
// their digests.
type dedup struct {
	job
	keys      []string // --by; nil: whole records are compared
	byContent bool     // --content: compare canonical content, not bytes
	memory    cli.Size // --memory: half for each Sorter

	digests *extsort.Sorter // digest -> ordinal, and if onePass the record
	dropped *extsort.Sorter // ordinals of the records to drop
	onePass bool            // an input is a pipe
}

// digestSize is the number of bytes of SHA-256 that are compared. With 10^12 different records, the probability
// of a collision in 16 bytes is less than 10^-14.
const digestSize = 16

// Dedup returns the verb dedup, which drops repeated records.
func Dedup() *cli.Command {
	v := &dedup{}
	var by cli.NameList
	return &cli.Command{
		Name: "dedup",
		Flags: func(fs *pflag.FlagSet) {
			cli.FeaturesVar(fs, &by, "by", "compare these `FEATURES`, as a,b; repeatable")
			fs.BoolVar(&v.byContent, "content", false, "compare what records hold, not their bytes")
			memoryVar(fs, &v.memory)
			v.addFlags(fs)
			v.reading.Rules(fs, scan.Excludes("content", "by"))
		},
		Run: func(e *cli.Env, args []string) (err error) {
			if v.keys, err = by.Names("by"); err != nil {
				return err
			}
			v.sought = scan.NewFeatureSearch("--by")
			v.sought.Add(scan.InContext, v.keys...)
			return v.run(e, args)
		},
	}
}

func (v *dedup) run(e *cli.Env, args []string) error {
	if err := v.begin(e, args); err != nil {
		return err
	}
	v.onePass = !scan.ReadTwice(v.in)
	v.digests = extsort.New(e.Ctx, int64(v.memory/2+1), v.writing.Output)
	v.dropped = extsort.New(e.Ctx, int64(v.memory/2+1), v.writing.Output)
	defer v.digests.Close()
	defer v.dropped.Close()
	if v.onePass {
		return v.finish(v.runOnce(e), noRecordsReason)
	}
	return v.finish(v.runTwice(e), noRecordsReason)
}

// runOnce sorts the records by digest, and then the first record of each digest by ordinal.
func (v *dedup) runOnce(e *cli.Env) error {
	if err := v.addDigests(); err != nil {
		return err
	}
	first := extsort.New(e.Ctx, int64(v.memory/2+1), v.writing.Output)
	defer first.Close()
	var last []byte
	err := v.digests.Each(func(digest, value []byte) error {
		if string(digest) == string(last) {
			return nil
		}
		last = append(last[:0], digest...)
		return first.Add(value[:8], value[8:])
	})
	if err != nil {
		return err
	}
	v.digests.Close()
	return first.Each(func(_, rec []byte) error { return v.out.Write(rec) })
}

// runTwice finds the ordinals of repeated records, and then copies the others.
func (v *dedup) runTwice(e *cli.Env) error {
	if err := v.addDigests(); err != nil {
		return err
	}
	var last []byte
	err := v.digests.Each(func(digest, ordinal []byte) error {
		if string(digest) == string(last) {
			return v.dropped.Add(ordinal, nil)
		}
		last = append(last[:0], digest...)
		return nil
	})
	if err != nil {
		return err
	}
	v.digests.Close()
	next, stop := iter.Pull2(func(yield func(int64, error) bool) {
		err := v.dropped.Each(func(ordinal, _ []byte) error {
			if !yield(int64(binary.BigEndian.Uint64(ordinal)), nil) {
				return scan.ErrStop
			}
			return nil
		})
		if err != nil && err != scan.ErrStop {
			yield(0, err)
		}
	})
	defer stop()
	v.faultsReported = true
	v.reading.Limit = max(v.reading.Limit, v.recordsRead) // the second reading drops refused records, so they must not count
	src, err := v.open(v.mustDecode())
	if err != nil {
		return err
	}
	n := int64(0)
	dropped, err, more := next()
	if err != nil {
		return err
	}
	err = src.Each(func(rec scan.Record) (err error) {
		n++
		if more && n-1 == dropped {
			dropped, err, more = next()
			return err
		}
		return v.out.Write(rec.Bytes)
	})
	if err == nil && n != v.recordsRead {
		err = fmt.Errorf("the input has changed while it was read: %d records, then %d", v.recordsRead, n)
	}
	return err
}

// mustDecode reports whether records must be decoded for comparison.
func (v *dedup) mustDecode() bool { return len(v.keys) > 0 || v.byContent }

// keyFunc returns the function that appends the compared key of a record; nil if whole records are compared.
func (v *dedup) keyFunc(t example.MessageType) func(dst, rec []byte) ([]byte, error) {
	switch {
	case v.byContent:
		return content.NewFormer(t).Append
	case len(v.keys) > 0:
		return newKeyReader(t, v.keys).appendExact
	}
	return nil
}

// addDigests reads the input and adds the digests of all records.
func (v *dedup) addDigests() error {
	src, err := v.open(v.mustDecode())
	if err != nil {
		return err
	}
	appendCompared := v.keyFunc(src.Type)
	var key, value []byte
	err = src.Each(func(rec scan.Record) (err error) {
		n := uint64(v.recordsRead)
		v.recordsRead++
		compared := rec.Bytes
		if appendCompared != nil {
			if key, err = appendCompared(key[:0], rec.Bytes); err != nil {
				if err := src.Refuse(rec, err); err != nil || v.onePass {
					return err
				}
				return v.dropped.Add(binary.BigEndian.AppendUint64(nil, n), nil)
			}
			compared = key
		}
		digest := sha256.Sum256(compared)
		value = binary.BigEndian.AppendUint64(value[:0], n)
		if v.onePass {
			value = append(value, rec.Bytes...)
		}
		return v.digests.Add(digest[:digestSize], value)
	})
	return err
}

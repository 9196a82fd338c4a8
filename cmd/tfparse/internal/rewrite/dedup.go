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

// A dedup reads its input twice: first it sorts the digests of all records, then it copies those
// whose ordinal is not that of a repeat. Pipes it reads once, and sorts the records with their
// digests.
type dedup struct {
	job
	by     []string
	form   bool // the content is compared
	memory cli.Size

	digests *extsort.Sorter // digest -> ordinal, and the record if once
	drop    *extsort.Sorter // ordinals
	once    bool            // the input can be read once
}

// digestSize is how much of SHA-256 is compared. Of a million million different records two have the same 16
// bytes with a probability of less than 10^-14.
const digestSize = 16

// Dedup drops repeated records.
func Dedup() *cli.Command {
	v := &dedup{}
	var by cli.NameList
	return &cli.Command{
		Name: "dedup",
		Flags: func(fs *pflag.FlagSet) {
			cli.FeaturesVar(fs, &by, "by", "compare these `FEATURES`, as a,b; repeatable")
			fs.BoolVar(&v.form, "content", false, "compare what records hold, not their bytes")
			memoryVar(fs, &v.memory)
			v.add(fs)
			v.reading.Rules(fs, scan.Excludes("content", "by"))
		},
		Run: func(e *cli.Env, args []string) (err error) {
			if v.by, err = parseNames("--by", by); err != nil {
				return err
			}
			v.sought = scan.NewFeatureSearch("--by")
			v.sought.Add(scan.InContext, v.by...)
			return v.run(e, args)
		},
	}
}

func (v *dedup) run(e *cli.Env, args []string) error {
	if err := v.begin(e, args); err != nil {
		return err
	}
	v.once = !scan.ReadTwice(v.in)
	v.digests = extsort.New(e.Ctx, int64(v.memory/2+1), v.writing.Output)
	v.drop = extsort.New(e.Ctx, int64(v.memory/2+1), v.writing.Output)
	defer v.digests.Close()
	defer v.drop.Close()
	if v.once {
		return v.finish(v.onePass(e), noRecords)
	}
	return v.finish(v.passes(e), noRecords)
}

// onePass sorts the records by their digests, and the first of each by their ordinals.
func (v *dedup) onePass(e *cli.Env) error {
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

func (v *dedup) passes(e *cli.Env) error {
	if err := v.addDigests(); err != nil {
		return err
	}
	var last []byte
	err := v.digests.Each(func(digest, ordinal []byte) error {
		if string(digest) == string(last) {
			return v.drop.Add(ordinal, nil)
		}
		last = append(last[:0], digest...)
		return nil
	})
	if err != nil {
		return err
	}
	v.digests.Close()
	next, stop := iter.Pull2(func(yield func(int64, error) bool) {
		err := v.drop.Each(func(ordinal, _ []byte) error {
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
	v.silent = true
	v.reading.Limit = max(v.reading.Limit, v.read) // records that were refused do not count, and now they are dropped
	src, err := v.open(v.decodes())
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
	if err == nil && n != v.read {
		err = fmt.Errorf("the input has changed while it was read: %d records, then %d", v.read, n)
	}
	return err
}

// decodes reports whether what records hold is compared.
func (v *dedup) decodes() bool { return len(v.by) > 0 || v.form }

// compared returns what is compared of records of a type; nil: the records.
func (v *dedup) compared(t example.MessageType) func(dst, rec []byte) ([]byte, error) {
	switch {
	case v.form:
		return content.NewFormer(t).Append
	case len(v.by) > 0:
		return newKeyReader(t, v.by).appendExact
	}
	return nil
}

// addDigests adds the digests of all records.
func (v *dedup) addDigests() error {
	src, err := v.open(v.decodes())
	if err != nil {
		return err
	}
	appendCompared := v.compared(src.Type)
	var key, value []byte
	err = src.Each(func(rec scan.Record) (err error) {
		n := uint64(v.read)
		v.read++
		compared := rec.Bytes
		if appendCompared != nil {
			if key, err = appendCompared(key[:0], rec.Bytes); err != nil {
				if err := src.Refuse(rec, err); err != nil || v.once {
					return err
				}
				return v.drop.Add(binary.BigEndian.AppendUint64(nil, n), nil)
			}
			compared = key
		}
		digest := sha256.Sum256(compared)
		value = binary.BigEndian.AppendUint64(value[:0], n)
		if v.once {
			value = append(value, rec.Bytes...)
		}
		return v.digests.Add(digest[:digestSize], value)
	})
	return err
}

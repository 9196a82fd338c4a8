package rewrite

import (
	"encoding/binary"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/internal/shufflekey"
)

// defaultMemory is the default of --memory, in bytes.
const defaultMemory = 256 << 20

func memoryVar(fs *pflag.FlagSet, p *cli.Size) {
	*p = defaultMemory
	fs.TextVar(p, "memory", p, "sort in `SIZE` bytes of memory, as 4GiB")
}

// An externalSort is a verb that writes records in another order, with a Sorter on disk.
type externalSort struct {
	job
	memory cli.Size
	sorter *extsort.Sorter
}

// addRecords adds the records of src to the sorter. append appends the key of a record.
func (v *externalSort) addRecords(src *scan.Source, append func(dst, rec []byte) ([]byte, error)) error {
	var key []byte
	err := src.Each(func(rec scan.Record) (err error) {
		if key, err = append(key[:0], rec.Bytes); err != nil {
			return src.Refuse(rec, err)
		}
		return v.sorter.Add(key, rec.Bytes)
	})
	v.recordsRead = src.Read
	return err
}

// writeSorted calls write for the records in their new order, and shows progress.
func (v *externalSort) writeSorted(write func(rec []byte) error) error {
	p := v.reading.ShowProgress(v.env, v.in)
	if p != nil {
		p.Total = v.sorter.Size
		defer v.env.Console.Show(p)()
	}
	return v.sorter.Each(func(_, rec []byte) error {
		p.Bytes(len(rec))
		p.Records(1)
		return write(rec)
	})
}

// openSorter creates the output and the sorter.
func (v *externalSort) openSorter(e *cli.Env, args []string) error {
	if err := v.begin(e, args); err != nil {
		return err
	}
	v.sorter = extsort.New(e.Ctx, int64(v.memory), v.writing.Output)
	return nil
}

// Shuffle returns the verb shuffle, which writes records in a random order.
func Shuffle() *cli.Command {
	v := &externalSort{}
	var seed uint64
	return &cli.Command{
		Name: "shuffle",
		Flags: func(fs *pflag.FlagSet) {
			fs.Uint64Var(&seed, "seed", 0, "the same `N` gives the same order")
			memoryVar(fs, &v.memory)
			v.addFlags(fs)
		},
		Run: func(e *cli.Env, args []string) error {
			if err := v.openSorter(e, args); err != nil {
				return err
			}
			defer v.sorter.Close()
			random := shufflekey.At(seed, 0)
			src, err := v.open(false)
			if err == nil {
				err = v.addRecords(src, func(dst, _ []byte) ([]byte, error) { return binary.BigEndian.AppendUint64(dst, random.Uint64()), nil })
			}
			if err == nil {
				err = v.writeSorted(func(rec []byte) error { return v.out.Write(rec) })
			}
			return v.finish(err, noRecordsReason)
		},
	}
}

// A sortByFeatures is an externalSort by the values of features.
type sortByFeatures struct {
	externalSort
	keys       []string
	descending bool
}

// keyFunc returns the function that appends the sort key of a record of a type.
func (v *sortByFeatures) keyFunc(t example.MessageType) func(dst, rec []byte) ([]byte, error) {
	keys := newKeyReader(t, v.keys)
	return func(dst, rec []byte) ([]byte, error) {
		dst, err := keys.appendSorted(dst, rec)
		if v.descending {
			for i := range dst {
				dst[i] = ^dst[i]
			}
		}
		return dst, err
	}
}

// Sort returns the verb sort, which sorts records by features.
func Sort() *cli.Command {
	v := &sortByFeatures{}
	var by cli.NameList
	return &cli.Command{
		Name: "sort",
		Flags: func(fs *pflag.FlagSet) {
			cli.FeaturesVar(fs, &by, "by", "sort by these `FEATURES`, as a,b; repeatable")
			fs.BoolVar(&v.descending, "descending", false, "the largest first")
			memoryVar(fs, &v.memory)
			v.addFlags(fs)
		},
		Run: func(e *cli.Env, args []string) (err error) {
			if by == nil {
				return cli.Usagef("want --by FEATURES")
			}
			if v.keys, err = by.Names("by"); err != nil {
				return err
			}
			v.sought = scan.NewFeatureSearch("--by")
			v.sought.Add(scan.InContext, v.keys...)
			if err := v.openSorter(e, args); err != nil {
				return err
			}
			defer v.sorter.Close()
			src, err := v.open(true)
			if err == nil {
				err = v.addRecords(src, v.keyFunc(src.Type))
			}
			if err == nil {
				n, shards := int64(0), int64(len(v.out.Names()))
				err = v.writeSorted(func(rec []byte) error {
					n++
					return v.out.WriteTo(int((n-1)*shards/v.sorter.Added), rec)
				})
			}
			return v.finish(err, noRecordsReason)
		},
	}
}

package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/internal/wire"
)

// A joiner reads two data sets, and finds the records of either that have the same key, in bounded
// memory: each record becomes a ref, and the refs are sorted.
type joiner struct {
	reading scan.Flags
	memory  cli.Size
	typ     example.MessageType
	jobs    int
	exact   rounding // of the floats of keys

	env     *cli.Env
	flag    string   // that names the key
	keys    []string // the features of the key; nil: records are compared by position
	in      [2][]scan.Input
	walk    scan.OldOptions
	keyless *[2]int64       // records without the key on either side; nil: they are errors
	args    []string        // the names of both sides
	sought  [2]*scan.Sought // the features of the key, in the records of either side
	ignored *scan.Sought    // features that are not compared, in the records of both sides; may be nil

	records    [2]int64                 // of A and of B
	uncompared int64                    // pairs with a skipped record
	sums       [2][2]uint64             // of the hashes of the payloads of either side, modulo 2^128
	types      [2][]example.MessageType // by file; TypeAuto: no records
}

// parseKeys takes the names of the features that make a key, from a flag.
func (c *joiner) parseKeys(flag string, names cli.NameList) error {
	c.flag = flag
	for _, printed := range names {
		name, err := jsonscan.ParseName(printed)
		if err != nil {
			return cli.Usagef("--%s %s: %v", flag, printed, err)
		}
		c.keys = append(c.keys, name)
	}
	for side := range c.sought {
		c.sought[side] = scan.NewSought("--" + flag)
		c.sought[side].Add(scan.InContext, c.keys...)
	}
	if c.keys != nil && c.typ == example.TypeRaw {
		return cli.Usagef("--%s names features, and records of type raw have none", flag)
	}
	return nil
}

// expand finds the files of both sides, and returns all of them.
func (c *joiner) expand(e *cli.Env, args []string) ([]scan.Input, error) {
	c.env, c.args, c.walk.Jobs = e, args, c.jobs
	for i, arg := range args {
		in, err := c.reading.Expand(e, []string{arg})
		if err != nil {
			return nil, err
		}
		c.in[i] = in
	}
	both := append(append([]scan.Input{}, c.in[0]...), c.in[1]...)
	if err := scan.OneStdin(both); err != nil {
		return nil, err
	}
	if c.keys != nil && !scan.ReadTwice(both) {
		return nil, cli.Usagef("--%s reads its inputs twice, and standard input or a pipe can be read only once", c.flag)
	}
	return both, nil
}

// next returns the next chunk of a side, after its faults were reported; nil at the end.
func (c *joiner) next(s *side) (*chunk, error) {
	chunk, err := s.next()
	if err != nil || chunk == nil {
		return nil, err
	}
	for _, fault := range chunk.faults {
		if err := c.reading.Fault(c.env, fault); err != nil {
			return nil, err
		}
	}
	return chunk, nil
}

// misfit deals with a record that does not decode.
func (c *joiner) misfit(chunk *chunk, i int, err error) error {
	c.uncompared++
	return c.reading.Fault(c.env, scan.Misfit(chunk.positions[i], err))
}

// A keyed is a chunk, and the keys of its records.
type keyed struct {
	chunk *chunk
	side  int
	refs  []ref
	bad   []pair    // records that do not decode, or have no key
	sum   [2]uint64 // of the hashes of the payloads, modulo 2^128
}

// eachRef calls yield for the records of both sides, in the order of refs.
func (c *joiner) eachRef(yield func(ref)) error {
	s := extsort.New(c.env.Ctx, int64(c.memory/2+1), "")
	defer s.Close()
	for side := range c.in {
		c.types[side] = make([]example.MessageType, len(c.in[side]))
		if err := c.addKeys(side, s); err != nil {
			return err
		}
		if err := c.missingKeys(side); err != nil {
			return err
		}
	}
	return s.Each(func(b, _ []byte) error { yield(refOf(b)); return nil })
}

// missingKeys is an error if no record of a side has a feature of the key.
func (c *joiner) missingKeys(side int) error {
	c.sought[side].LookAtColumns(c.in[side])
	var texts []string
	for _, text := range c.sought[side].Texts() {
		texts = append(texts, c.args[side]+": "+text)
	}
	return c.reading.MissingFeatures(c.env, false, texts)
}

func (c *joiner) placeOf(r ref) recordPlace {
	return recordPlace{File: jsonscan.Name(c.in[r.side][r.file].Name), Record: r.record}
}

// addKeys adds the records of one side.
func (c *joiner) addKeys(side int, to *extsort.Sorter) error {
	s := c.open(side)
	defer s.close()
	files := map[string]uint32{} // a name that is given twice is one file
	for i, in := range c.in[side] {
		files[in.Name] = uint32(i)
	}
	var b []byte
	sum := &c.sums[side]
	queue := ordered.NewQueue(c.env.Ctx, workers(c.jobs), 2*c.jobs, func() func(*keyed) error {
		cmp := newComparer()
		return func(k *keyed) error { cmp.keys(k, c); return nil }
	}, func(k *keyed) error {
		for _, bad := range k.bad {
			if c.keyless != nil && errors.Is(bad.err, errNoKey) {
				c.keyless[side]++
				continue
			}
			err := c.misfit(k.chunk, bad.at, bad.err)
			if errors.Is(bad.err, errNoKey) && !c.reading.MissingFeaturesAllowed() {
				err = c.sought[side].Hold(err)
			}
			if err != nil {
				return err
			}
		}
		if held, err := c.sought[side].Held(); held {
			s.release(k.chunk)
			return err
		}
		for _, r := range k.refs {
			pos := k.chunk.positions[r.record]
			r.side, r.file, r.record = uint8(side), files[pos.Name], pos.Record
			c.types[side][r.file] = k.chunk.typ
			b = r.appendTo(b[:0])
			if err := to.Add(b, nil); err != nil {
				return err
			}
		}
		var carry uint64
		sum[0], carry = bits.Add64(sum[0], k.sum[0], 0)
		sum[1], _ = bits.Add64(sum[1], k.sum[1], carry)
		s.release(k.chunk)
		return nil
	})
	defer queue.Close()
	for {
		chunk, err := c.next(s)
		if err != nil {
			return err
		}
		if chunk == nil {
			if err := queue.Drain(); err != nil {
				return err
			}
			_, err := c.sought[side].Held()
			return err
		}
		c.records[side] += int64(chunk.intact())
		c.uncompared += int64(len(chunk.missing))
		queue.Limit = c.queueLimit(chunk)
		if err := queue.Submit(&keyed{chunk: chunk, side: side}); err != nil {
			return err
		}
	}
}

// keys finds the keys and the content of a chunk. The record of a ref is its place in the chunk.
func (c *comparer) keys(k *keyed, j *joiner) {
	var key []byte
	for i := range k.chunk.ends {
		if k.chunk.missing[i] {
			continue
		}
		rec := k.chunk.record(i)
		j.sought[k.side].Look(k.chunk.typ, rec)
		j.ignored.Look(k.chunk.typ, rec)
		err := c.form(0, k.chunk.typ, rec)
		if err == nil {
			key, err = j.appendKey(key[:0], k.chunk.typ, c.forms[0])
		}
		if err != nil {
			k.bad = append(k.bad, pair{at: i, err: err})
			continue
		}
		k.refs = append(k.refs, ref{key: hash128(key), content: hash128(c.forms[0]), record: int64(i)})
		h := hash128(rec)
		var carry uint64
		k.sum[0], carry = bits.Add64(k.sum[0], h[0], 0)
		k.sum[1], _ = bits.Add64(k.sum[1], h[1], carry)
	}
}

// hash128 is the beginning of SHA-256.
func hash128(b []byte) [2]uint64 {
	h := sha256.Sum256(b)
	return [2]uint64{binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])}
}

// errNoKey is the reason of a record without the key.
var errNoKey = errors.New("no key")

// appendKey appends the values of the features of the key, of a record in its one form.
func (c *joiner) appendKey(key []byte, typ example.MessageType, form []byte) ([]byte, error) {
	in := ""
	switch typ {
	case example.TypeRaw:
		return nil, fmt.Errorf("no features, and --%s names some", c.flag)
	case example.TypeSequence, example.TypeExampleList:
		in = " in the context"
	}
	for _, name := range c.keys {
		f, ok, err := typ.Lookup(form, name)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok || f.Kind() == example.Unset:
			return nil, keyError{fmt.Sprintf("no feature %s%s, which --%s names", jsonscan.AppendName(nil, []byte(name)), in, c.flag)}
		case c.keyless != nil && hasNoValues(f):
			return nil, errNoKey
		}
		raw := f.Raw()
		if c.exact.given && f.Kind() == example.FloatList {
			if raw, err = c.exact.appendKey(nil, f); err != nil {
				return nil, err
			}
		}
		key = append(wire.AppendVarint(key, uint64(len(raw))), raw...)
	}
	return key, nil
}

// A keyError is errNoKey with the feature that is missing.
type keyError struct{ text string }

func (e keyError) Error() string { return e.text }

func (keyError) Is(err error) bool { return err == errNoKey }

package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
)

// A joiner is the sort-merge join that diff --by and skew share. It pairs records of two data sets
// that have the same key, in memory that does not grow with them:
//
//  1. expand finds the files of both sides.
//  2. eachKey reads both sides. Each record becomes a ref: hashes of its key and of its content, and
//     its position. A Sorter sorts the refs, in a temporary file if need be.
//  3. A keyMerge goes through the sorted refs and gives the verb a keyGroup for each key. The verb
//     adds the pairs that it wants to see to a pairList, by their positions.
//  4. pairList.each reads the records of these pairs again, in the order of the files, sorts them by
//     pair, and gives the verb the two records of each.
//
// diff without --by uses step 1 alone and then reads both sides in step, see position.go.
type joiner struct {
	reading scan.Flags
	memory  cli.Size            // of step 2: half for the refs; a quarter each for positions and records of step 4
	typ     example.MessageType // of all records; TypeAuto: that of each file is found out
	jobs    int
	exact   rounding // of floats in keys

	env     *cli.Env
	flag    string   // that names the key, without dashes
	keys    []string // the features of the key; nil: records are compared by position
	args    []string // the names of both sides
	in      [2][]scan.Input
	sought  [2]*scan.FeatureSearch // the features of the key, in the records of either side
	ignored *scan.FeatureSearch    // features that are not compared, in the records of both sides; may be nil
	keyless *[2]int64              // records without the key on either side; nil: they are errors

	records    [2]int64                 // of A and of B, without those that were skipped
	uncompared int64                    // records (by position: pairs) that were skipped or do not decode
	sums       [2]sum128                // of the hashes of all payloads of either side
	types      [2][]example.MessageType // by side and file, from step 2
}

// parseKeys takes the names of the features that make a key, from a flag.
func (c *joiner) parseKeys(flag string, names cli.NameList) (err error) {
	c.flag = flag
	if c.keys, err = names.Names(flag); err != nil {
		return err
	}
	for side := range c.sought {
		c.sought[side] = scan.NewFeatureSearch("--" + flag)
		c.sought[side].Add(scan.InContext, c.keys...)
	}
	if c.keys != nil && c.typ == example.TypeRaw {
		return cli.Usagef("--%s names features, and records of type raw have none", flag)
	}
	return nil
}

// expand finds the files of both sides, and returns all of them.
func (c *joiner) expand(e *cli.Env, args []string) (both []scan.Input, err error) {
	c.env, c.args = e, args
	for i, arg := range args {
		if c.in[i], err = c.reading.Expand(e, []string{arg}); err != nil {
			return nil, err
		}
		both = append(both, c.in[i]...)
	}
	if err := scan.OneStdin(both); err != nil {
		return nil, err
	}
	if c.keys != nil && !scan.ReadTwice(both) {
		return nil, cli.Usagef("--%s reads its inputs twice, and standard input or a pipe can be read only once", c.flag)
	}
	return both, nil
}

// options say how a side is read. fault is given what is wrong with it, unknown messages too.
func (c *joiner) options(fault func(*scan.Fault) error) *scan.Options {
	return &scan.Options{Type: c.typ, Unknown: true, Jobs: c.jobs, Fault: fault, End: func(f *scan.File) error {
		if f.Unknown == nil {
			return nil
		}
		return fault(unknownFault(f.Unknown))
	}}
}

// skippedRecords is how many records a fault leaves out. Of a huge skipped range none is counted: by
// position each would have to keep its place.
func skippedRecords(fault *scan.Fault) int64 {
	const most = 1 << 16
	n := int64(0)
	switch {
	case fault.Skipped != nil:
		n = fault.Skipped.Records
	case fault.Class == scan.ClassMessage:
		n = max(fault.Records, 1)
	}
	if n < 0 || n > most {
		return 0
	}
	return n
}

// unknownFault is the fault of a file whose records hold none of the messages known here.
func unknownFault(u *scan.Unknown) *scan.Fault {
	return &scan.Fault{
		File: u.File, Class: scan.ClassMessage, Record: -1, Offset: -1, Compressed: -1, LooksLike: u.LooksLike, Records: u.Records,
		Err: fmt.Errorf("%s of %w%s; --type raw takes their bytes", cli.Plural(u.Records, "record"), scan.ErrUnknown, scan.InBrackets(u.LooksLike)),
	}
}

// A ref is a record by the hashes of its key and its content.
type ref struct {
	key, content [2]uint64
	side         uint8
	file         uint32 // index in the inputs of its side
	record       int64
}

// comparePosition compares the positions of two records of one side in its inputs.
func (r *ref) comparePosition(s *ref) int {
	return cmp.Or(cmp.Compare(r.file, s.file), cmp.Compare(r.record, s.record))
}

// refSize is the size of a ref as it is sorted.
const refSize = 45

// appendTo appends a ref as bytes that sort by key, content, side and position.
func (r *ref) appendTo(b []byte) []byte {
	for _, word := range [...]uint64{r.key[0], r.key[1], r.content[0], r.content[1]} {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	b = binary.BigEndian.AppendUint32(append(b, r.side), r.file)
	return binary.BigEndian.AppendUint64(b, uint64(r.record))
}

// refOf reads what appendTo has written.
func refOf(b []byte) ref {
	_ = b[refSize-1]
	word := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	return ref{
		key: [2]uint64{word(0), word(1)}, content: [2]uint64{word(2), word(3)},
		side: b[32], file: binary.BigEndian.Uint32(b[33:]), record: int64(binary.BigEndian.Uint64(b[37:])),
	}
}

func (c *joiner) placeOf(r ref) recordPlace {
	return recordPlace{File: jsonscan.Name(c.in[r.side][r.file].Name), Record: r.record}
}

// hash128 is the beginning of SHA-256.
func hash128(b []byte) [2]uint64 {
	h := sha256.Sum256(b)
	return [2]uint64{binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])}
}

// A sum128 is a sum of hashes modulo 2^128: it does not depend on their order.
type sum128 [2]uint64

func (s *sum128) add(h [2]uint64) {
	var carry uint64
	s[0], carry = bits.Add64(s[0], h[0], 0)
	s[1], _ = bits.Add64(s[1], h[1], carry)
}

// eachKey reads both sides and calls yield for the records of each key, in the order of its hash.
func (c *joiner) eachKey(yield func(*keyGroup)) error {
	s := extsort.New(c.env.Ctx, int64(c.memory/2+1), "")
	defer s.Close()
	for side := range c.in {
		if err := c.readKeys(side, s); err != nil {
			return err
		}
		if err := c.missingKeys(side); err != nil {
			return err
		}
	}
	m := keyMerge{yield: yield}
	if err := s.Each(func(b, _ []byte) error { m.add(refOf(b)); return nil }); err != nil {
		return err
	}
	m.finish()
	return nil
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

// readKeys reads one side and adds the refs of its records to a Sorter; nil: records are only counted.
func (c *joiner) readKeys(side int, to *extsort.Sorter) error {
	r := &keyReader{joiner: c, side: side, to: to, files: map[string]uint32{}}
	c.types[side] = make([]example.MessageType, len(c.in[side]))
	for i, in := range c.in[side] {
		r.files[in.Name] = uint32(i) // a name that is given twice is one file
	}
	src, err := c.reading.Open(c.env, c.in[side], c.options(r.fault))
	if err != nil {
		return err
	}
	sum := scan.Sum[*keyedRecords]{Workers: c.jobs, Fresh: r.fresh, Add: r.add, Merge: r.merge}
	if err := sum.Run(src); err != nil {
		return err
	}
	_, err = c.sought[side].Held()
	return err
}

// A keyReader makes the refs of the records of one side.
type keyReader struct {
	*joiner
	side  int
	to    *extsort.Sorter
	files map[string]uint32 // indices in the inputs of the side
	row   []byte            // scratch of merge
	free  freeList[*keyedRecords]
}

// keyedRecords are the refs of some records in a row.
type keyedRecords struct {
	*content.Former
	form, key []byte // of one record
	refs      []ref
	records   int64
	sum       sum128 // of the hashes of the payloads
}

// fault deals with records that were skipped, do not decode or have no key.
func (r *keyReader) fault(f *scan.Fault) error {
	noKey := errors.Is(f.Err, errNoKey)
	if noKey && r.keyless != nil {
		r.keyless[r.side]++
		return nil
	}
	if r.to != nil {
		r.uncompared += skippedRecords(f)
	}
	err := r.reading.Fault(r.env, f)
	if noKey && !r.reading.MissingFeaturesAllowed() {
		err = r.sought[r.side].Hold(err)
	}
	return err
}

func (r *keyReader) fresh(t example.MessageType) *keyedRecords {
	return r.free.reuseOr(func() *keyedRecords { return &keyedRecords{Former: content.NewFormer(t)} }, t)
}

func (r *keyReader) add(k *keyedRecords, rec scan.Record) (err error) {
	k.records++
	r.sought[r.side].Look(rec.Type, rec.Bytes)
	if r.to == nil {
		return nil
	}
	r.ignored.Look(rec.Type, rec.Bytes)
	if k.form, err = k.Append(k.form[:0], rec.Bytes); err != nil {
		return err
	}
	if k.key, err = r.appendKey(k.key[:0], rec.Type, k.form); err != nil {
		return err
	}
	k.refs = append(k.refs, ref{hash128(k.key), hash128(k.form), uint8(r.side), r.files[rec.Name], rec.Record})
	k.sum.add(hash128(rec.Bytes))
	return nil
}

func (r *keyReader) merge(k *keyedRecords) error {
	defer func() {
		k.refs, k.records, k.sum = k.refs[:0], 0, sum128{}
		r.free = append(r.free, k)
	}()
	r.records[r.side] += k.records
	if held, err := r.sought[r.side].Held(); held {
		return err
	}
	for _, ref := range k.refs {
		r.types[r.side][ref.file] = k.Type()
		r.row = ref.appendTo(r.row[:0])
		if err := r.to.Add(r.row, nil); err != nil {
			return err
		}
	}
	r.sums[r.side].add(k.sum)
	return nil
}

// A freeList has sums of portions that were merged, which know names and have memory.
type freeList[S interface{ Type() example.MessageType }] []S

// reuseOr returns a sum from the list for records of a type; without one, a new sum.
func (l *freeList[S]) reuseOr(newSum func() S, t example.MessageType) S {
	for n := len(*l) - 1; n >= 0; n-- {
		s := (*l)[n]
		if *l = (*l)[:n]; s.Type() == t {
			return s
		}
	}
	return newSum()
}

// errNoKey is the reason of a record without the key.
var errNoKey = errors.New("no key")

// A keyError is errNoKey with the feature that is missing.
type keyError struct{ text string }

func (e keyError) Error() string { return e.text }

func (keyError) Is(err error) bool { return err == errNoKey }

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

// A keyGroup is the records of one key. The memory it takes does not grow with their number.
type keyGroup struct {
	all  [2]tally // of either side
	rest [2]tally // of these, those without a partner of the same content
	same int64    // pairs of records with the same content
}

// A keyMerge is given refs in order and calls yield for each key. The group is lent for the call.
type keyMerge struct {
	yield func(*keyGroup)

	last    ref // the ref before, once begun
	begun   bool
	group   keyGroup
	content [2]tally // records of the content at hand
}

func (m *keyMerge) add(r ref) {
	if m.begun && (r.key != m.last.key || r.content != m.last.content) {
		m.endContent()
	}
	if m.begun && r.key != m.last.key {
		m.endKey()
	}
	m.begun, m.last = true, r
	m.content[r.side].add(r)
	m.group.all[r.side].add(r)
}

func (m *keyMerge) finish() {
	if m.begun {
		m.endContent()
		m.endKey()
	}
}

func (m *keyMerge) endContent() {
	pairs := min(m.content[0].n, m.content[1].n)
	m.group.same += pairs
	for i := range m.content {
		t, rest := &m.content[i], &m.group.rest[i]
		t.cut()
		left := t.n - pairs
		// The last ones; of more than are remembered any, as they have the same content.
		named := t.first[int64(len(t.first))-min(left, int64(len(t.first))):]
		for _, r := range named {
			rest.add(r)
		}
		rest.n += left - int64(len(named)) // those that were only counted
		t.reset()
	}
}

func (m *keyMerge) endKey() {
	g := &m.group
	for side := range g.all {
		g.all[side].cut()
		g.rest[side].cut()
	}
	m.yield(g)
	for side := range g.all {
		g.all[side].reset()
		g.rest[side].reset()
	}
	g.same = 0
}

// A tally is a number of records, and the first ones in the order of the input.
type tally struct {
	n     int64
	first []ref // up to twice mostOfKey, in any order until cut
}

// mostOfKey is how many records of one key are remembered; others are counted.
const mostOfKey = 1 << 10

func (t *tally) add(r ref) {
	t.n++
	if t.first = append(t.first, r); len(t.first) == 2*mostOfKey {
		t.cut()
	}
}

// cut sorts the first records and drops those that are not remembered.
func (t *tally) cut() {
	slices.SortFunc(t.first, func(a, b ref) int { return a.comparePosition(&b) })
	t.first = t.first[:min(len(t.first), mostOfKey)]
}

func (t *tally) reset() { t.n, t.first = 0, t.first[:0] }

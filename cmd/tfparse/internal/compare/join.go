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

// A joiner is the sort-merge join of diff --by and skew. It pairs records of two data sets by key. Its memory
// does not grow with the data sets:
//
//  1. expand finds the files of both sides.
//  2. eachKey reads both sides. Each record becomes a ref: the hash of its key, the hash of its content,
//     and its position. A Sorter sorts the refs, in a temporary file if necessary.
//  3. A keyMerge reads the sorted refs and passes one keyGroup for each key to the verb. The verb adds
//     the positions of the pairs to compare to a pairList.
//  4. pairList.eachPair reads the records of these pairs again, in the order of the files, sorts them
//     by pair, and passes the two records of each pair to the verb.
//
// diff without --by uses only step 1 and then reads both sides in parallel, see position.go.
type joiner struct {
	reading     scan.Flags          // how the files of both sides are read
	memory      cli.Size            // bytes: half for the refs of step 2; a quarter each for positions and records of step 4
	typ         example.MessageType // of all records; TypeAuto: detected for each file
	jobs        int                 // --jobs: number of goroutines
	keyRounding rounding            // applied to floats in keys

	env         *cli.Env               // set by expand
	keyFlag     string                 // flag that names the key, without dashes
	keys        []string               // the features of the key; nil: records are compared by position
	args        []string               // the names of both sides
	in          [2][]scan.Input        // by side; set by expand
	keyFeatures [2]*scan.FeatureSearch // by side: detects names in keys that no record has
	ignored     *scan.FeatureSearch    // detects names in --drop that no record of either side has; may be nil
	withoutKey  *[2]int64              // by side: number of records without the key; nil: such records are errors

	records    [2]int64                 // by side, without skipped records
	uncompared int64                    // records (by position: pairs) that were skipped or do not decode
	sums       [2]hashSum               // by side: sum of the hashes of all payloads
	types      [2][]example.MessageType // by side and file; set in step 2
}

// parseKeys sets the features of the key from the value of a flag.
func (c *joiner) parseKeys(flag string, names cli.NameList) (err error) {
	c.keyFlag = flag
	if c.keys, err = names.Names(flag); err != nil {
		return err
	}
	for side := range c.keyFeatures {
		c.keyFeatures[side] = scan.NewFeatureSearch("--" + flag)
		c.keyFeatures[side].Add(scan.InContext, c.keys...)
	}
	if c.keys != nil && c.typ == example.TypeRaw {
		return cli.Usagef("--%s names features, but raw records have no features", flag)
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
		return nil, cli.Usagef("--%s reads its inputs twice: want files, not a pipe", c.keyFlag)
	}
	return both, nil
}

// options returns the options for reading a side. Faults go to fault, also a file of unknown messages.
func (c *joiner) options(fault func(*scan.Fault) error) *scan.Options {
	return &scan.Options{Type: c.typ, Unknown: true, Jobs: c.jobs, Fault: fault, End: func(f *scan.File) error {
		if f.Unknown == nil {
			return nil
		}
		return fault(unknownFault(f.Unknown))
	}}
}

// skippedRecords returns the number of records lost by a fault. It is 0 for a huge skipped range, since
// byPosition goes through the lost records one by one.
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

// unknownFault returns the fault for a file of unknown messages.
func unknownFault(u *scan.Unknown) *scan.Fault {
	return &scan.Fault{
		File: u.File, Class: scan.ClassMessage, Record: -1, Offset: -1, Compressed: -1, LooksLike: u.LooksLike, Records: u.Records,
		Err: fmt.Errorf("%s of %w%s; --type raw takes their bytes", cli.Plural(u.Records, "record"), scan.ErrUnknown, scan.InBrackets(u.LooksLike)),
	}
}

// A ref is a record, represented by its position and the hashes of its key and its content.
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

// refSize is the size of an encoded ref, in bytes.
const refSize = 45

// appendTo appends the encoding of a ref. Encodings sort by key, content, side and position.
func (r *ref) appendTo(b []byte) []byte {
	for _, word := range [...]uint64{r.key[0], r.key[1], r.content[0], r.content[1]} {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	b = binary.BigEndian.AppendUint32(append(b, r.side), r.file)
	return binary.BigEndian.AppendUint64(b, uint64(r.record))
}

// refOf decodes a ref encoded by appendTo.
func refOf(b []byte) ref {
	_ = b[refSize-1]
	word := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	return ref{
		key: [2]uint64{word(0), word(1)}, content: [2]uint64{word(2), word(3)},
		side: b[32], file: binary.BigEndian.Uint32(b[33:]), record: int64(binary.BigEndian.Uint64(b[37:])),
	}
}

func (c *joiner) positionOf(r ref) recordPosition {
	return recordPosition{File: jsonscan.Name(c.in[r.side][r.file].Name), Record: r.record}
}

// hash128 returns the first 128 bits of SHA-256.
func hash128(b []byte) [2]uint64 {
	h := sha256.Sum256(b)
	return [2]uint64{binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])}
}

// A hashSum is a sum of hashes modulo 2^128. It does not depend on the order of the hashes.
type hashSum [2]uint64

func (s *hashSum) addHash(h [2]uint64) {
	var carry uint64
	s[0], carry = bits.Add64(s[0], h[0], 0)
	s[1], _ = bits.Add64(s[1], h[1], carry)
}

// eachKey reads both sides and calls yield for each key, in the order of the hashes of keys.
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
	if err := s.Each(func(b, _ []byte) error { m.addRef(refOf(b)); return nil }); err != nil {
		return err
	}
	m.finish()
	return nil
}

// missingKeys reports features of the key that no record of a side has: as an error, or with
// --allow-missing-features as a warning.
func (c *joiner) missingKeys(side int) error {
	c.keyFeatures[side].LookAtColumns(c.in[side])
	var texts []string
	for _, text := range c.keyFeatures[side].Texts() {
		texts = append(texts, c.args[side]+": "+text)
	}
	return c.reading.MissingFeatures(c.env, false, texts)
}

// readKeys reads one side and adds the refs of its records to a Sorter. If that is nil, it only counts records.
func (c *joiner) readKeys(side int, to *extsort.Sorter) error {
	r := &keyReader{joiner: c, side: side, to: to, files: map[string]uint32{}}
	c.types[side] = make([]example.MessageType, len(c.in[side]))
	for i, in := range c.in[side] {
		r.files[in.Name] = uint32(i) // for a repeated name the last index
	}
	src, err := c.reading.Open(c.env, c.in[side], c.options(r.reportFault))
	if err != nil {
		return err
	}
	sum := scan.Sum[*keyedRecords]{Workers: c.jobs, Fresh: newKeyedRecords, Add: r.addRecord, Merge: r.mergeRecords}
	if err := sum.Run(src); err != nil {
		return err
	}
	_, err = c.keyFeatures[side].Held()
	return err
}

// A keyReader makes the refs of the records of one side.
type keyReader struct {
	*joiner
	side  int               // 0 or 1
	to    *extsort.Sorter   // of encoded refs; nil: records are only counted
	files map[string]uint32 // file name -> index in the inputs of the side
	row   []byte            // buffer of mergeRecords
}

// keyedRecords are the refs of consecutive records, computed by one worker.
type keyedRecords struct {
	*content.Former
	form, key  []byte // buffers for the canonical content and the key of one record
	refs       []ref
	records    int64
	payloadSum hashSum // sum of the hashes of the payloads
}

// reportFault handles records that were skipped, do not decode or have no key.
func (r *keyReader) reportFault(f *scan.Fault) error {
	noKey := errors.Is(f.Err, errNoKey)
	if noKey && r.withoutKey != nil {
		r.withoutKey[r.side]++
		return nil
	}
	if r.to != nil {
		r.uncompared += skippedRecords(f)
	}
	err := r.reading.Fault(r.env, f)
	if noKey && !r.reading.MissingFeaturesAllowed() {
		err = r.keyFeatures[r.side].Hold(err)
	}
	return err
}

func newKeyedRecords(t example.MessageType) *keyedRecords {
	return &keyedRecords{Former: content.NewFormer(t)}
}

func (r *keyReader) addRecord(k *keyedRecords, rec scan.Record) (err error) {
	k.records++
	r.keyFeatures[r.side].Look(rec.Type, rec.Bytes)
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
	k.payloadSum.addHash(hash128(rec.Bytes))
	return nil
}

func (r *keyReader) mergeRecords(k *keyedRecords) (reuse bool, err error) {
	defer func() { k.refs, k.records, k.payloadSum = k.refs[:0], 0, hashSum{} }()
	r.records[r.side] += k.records
	if held, err := r.keyFeatures[r.side].Held(); held {
		return true, err
	}
	for _, ref := range k.refs {
		r.types[r.side][ref.file] = k.Type()
		r.row = ref.appendTo(r.row[:0])
		if err := r.to.Add(r.row, nil); err != nil {
			return false, err
		}
	}
	r.sums[r.side].addHash(k.payloadSum)
	return true, nil
}

// errNoKey is the error of a record without the key, if such records are counted.
var errNoKey = errors.New("no key")

// A keyError is errNoKey with the feature that is missing.
type keyError struct{ text string }

func (e keyError) Error() string { return e.text }

func (keyError) Is(err error) bool { return err == errNoKey }

// appendKey appends the key of a record in canonical form: the values of its key features.
func (c *joiner) appendKey(key []byte, typ example.MessageType, form []byte) ([]byte, error) {
	in := ""
	switch typ {
	case example.TypeRaw:
		return nil, fmt.Errorf("no features, and --%s names some", c.keyFlag)
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
			return nil, keyError{fmt.Sprintf("no feature %s%s, which --%s names", jsonscan.AppendName(nil, []byte(name)), in, c.keyFlag)}
		case c.withoutKey != nil && hasNoValues(f):
			return nil, errNoKey
		}
		raw := f.Raw()
		if c.keyRounding.enabled && f.Kind() == example.FloatList {
			if raw, err = c.keyRounding.appendKey(nil, f); err != nil {
				return nil, err
			}
		}
		key = append(wire.AppendVarint(key, uint64(len(raw))), raw...)
	}
	return key, nil
}

// A keyGroup is the records of one key. Its memory is bounded: see refTally.
type keyGroup struct {
	all      [2]refTally // by side
	unpaired [2]refTally // by side: records left after pairing equal content
	same     int64       // pairs of records with the same content
}

// A keyMerge groups sorted refs by key and calls yield for each key. The group is valid only during the call.
type keyMerge struct {
	yield func(*keyGroup)

	lastRef ref  // the previous ref, if started
	started bool // addRef was called
	group   keyGroup
	content [2]refTally // by side: records with the content of lastRef
}

func (m *keyMerge) addRef(r ref) {
	if m.started && (r.key != m.lastRef.key || r.content != m.lastRef.content) {
		m.endContent()
	}
	if m.started && r.key != m.lastRef.key {
		m.endKey()
	}
	m.started, m.lastRef = true, r
	m.content[r.side].addRef(r)
	m.group.all[r.side].addRef(r)
}

func (m *keyMerge) finish() {
	if m.started {
		m.endContent()
		m.endKey()
	}
}

func (m *keyMerge) endContent() {
	pairs := min(m.content[0].n, m.content[1].n)
	m.group.same += pairs
	for i := range m.content {
		t, rest := &m.content[i], &m.group.unpaired[i]
		t.keepFirst()
		left := t.n - pairs
		// The last records stay unpaired. Beyond maxRefsPerKey any will do, since all have the same content.
		named := t.first[int64(len(t.first))-min(left, int64(len(t.first))):]
		for _, r := range named {
			rest.addRef(r)
		}
		rest.n += left - int64(len(named)) // counted, but not kept
		t.reset()
	}
}

func (m *keyMerge) endKey() {
	g := &m.group
	for side := range g.all {
		g.all[side].keepFirst()
		g.unpaired[side].keepFirst()
	}
	m.yield(g)
	for side := range g.all {
		g.all[side].reset()
		g.unpaired[side].reset()
	}
	g.same = 0
}

// A refTally counts records and keeps the refs of the first maxRefsPerKey, in the order of the input.
type refTally struct {
	n     int64
	first []ref // fewer than twice maxRefsPerKey; unordered until keepFirst
}

// maxRefsPerKey is how many refs of one key are kept; others are only counted.
const maxRefsPerKey = 1 << 10

func (t *refTally) addRef(r ref) {
	t.n++
	if t.first = append(t.first, r); len(t.first) == 2*maxRefsPerKey {
		t.keepFirst()
	}
}

// keepFirst sorts the refs and drops all after the first maxRefsPerKey.
func (t *refTally) keepFirst() {
	slices.SortFunc(t.first, func(a, b ref) int { return a.comparePosition(&b) })
	t.first = t.first[:min(len(t.first), maxRefsPerKey)]
}

func (t *refTally) reset() { t.n, t.first = 0, t.first[:0] }

package record

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
)

// A place is where a feature is, for findings.
type place struct {
	s    *scratch
	e    *entry
	step int
	at   int // the offset
}

func (p place) find(rule pb.AnomalyInfo_Type, want, got string) {
	p.value(rule, -1, 1, want, got)
}

func (p place) value(rule pb.AnomalyInfo_Type, value, count int, want, got string) {
	p.s.add(Finding{Rule: rule.String(), Feature: p.e.path, Step: p.step, ValueIndex: value, Count: count, Offset: p.at, Expected: want, Observed: got})
}

func (p place) missing(want string) {
	p.find(pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT, want, "none")
}

func (p place) bad(err error) {
	p.s.add(Finding{Rule: BadRecord, Feature: p.e.path, Step: p.step, ValueIndex: -1, Count: 1, Offset: p.at, Err: err})
}

// check checks a feature of an Example or of a context.
func (e *entry) check(s *scratch, at *slot) {
	p := place{s: s, e: e, step: -1, at: -1}
	if at.seen {
		p.at = at.feature.Offset()
		_, at.present = single(at.feature)
		at.present = at.present || at.feature.Kind() != example.Unset
	}
	if e.ignored && !e.numbers && !e.lengthsOnly {
		return
	}
	if !at.present {
		if e.required {
			p.missing("a feature that is always there")
		}
		return
	}
	if e.outside {
		p.find(pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "no such feature in this environment", "one")
	}
	n, ok := e.feature(p, at.feature, at)
	at.n = n
	if ok && !e.ignored {
		e.count(p, 0, n)
	}
}

// checkList checks a feature list.
func (e *entry) checkList(s *scratch, at *slot) {
	p := place{s: s, e: e, step: -1, at: -1}
	if e.ignored {
		return
	}
	if !at.seen {
		if e.required {
			p.missing("a feature list that is always there")
		}
		return
	}
	p.at = at.steps.Offset()
	if e.outside {
		p.find(pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "no such feature list in this environment", "one")
	}
	steps := at.steps.Scan()
	total := int64(0)
	for steps.Next() {
		f := steps.Feature()
		q := p
		q.step, q.at = steps.Index(), f.Offset()
		if f.Kind() == example.Unset {
			continue
		}
		n, ok := e.feature(q, f, nil)
		if ok {
			e.count(q, 1, n)
		}
		total += n
	}
	if err := steps.Err(); err != nil {
		p.bad(err)
		return
	}
	e.count(p, 0, int64(steps.Index()+1))
}

// count checks the number of values at a level of nesting.
func (e *entry) count(p place, level int, n int64) {
	if level < len(e.counts) {
		e.counts[level].find(p, n, " values", [2]pb.AnomalyInfo_Type{pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES, pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES})
	}
	if e.fixed >= 0 && n != e.fixed && p.step < 0 {
		p.find(pb.AnomalyInfo_INVALID_FEATURE_SHAPE, strconv.FormatInt(e.fixed, 10)+" values, as the shape has", strconv.FormatInt(n, 10))
	}
}

// feature checks the type and the values of a feature, and keeps the numbers that
// links need. It reports the number of values, and whether they could be read.
func (e *entry) feature(p place, f example.Feature, at *slot) (n int64, ok bool) {
	kind, one := single(f)
	length := 1
	var err error
	if !one {
		if kind = f.Kind(); kind == example.Malformed {
			p.bad(f.Validate())
			return 0, false
		}
		if length, err = f.Len(); err != nil {
			p.bad(err)
			return 0, false
		}
	}
	keep := e.numbers && at != nil
	if keep && kind != example.Int64List {
		at.kind = kind // the check of links has a finding for it
	}
	if e.kind != example.Unset && kind != e.kind && !e.ignored {
		p.find(pb.AnomalyInfo_UNEXPECTED_DATA_TYPE, kindName(e.kind), kindName(kind))
		return int64(length), true
	}
	if keep && kind != example.Int64List {
		return int64(length), true
	}
	s := p.s
	switch {
	case kind == example.Int64List && (keep || e.domain == intRange || e.domain == boolInts || e.domain == semantic || e.sequences != nil):
		if s.ints, err = f.AppendInt64s(s.ints[:0]); err != nil {
			p.bad(err)
			return 0, false
		}
		if keep {
			at.lo = len(s.kept)
			s.kept = append(s.kept, s.ints...)
			at.hi = len(s.kept)
		}
		e.checkInts(p, s.ints)
		if e.sequences != nil {
			e.sequences.check(p, len(s.ints), func(i int) token { return token{number: s.ints[i]} })
		}
	case kind == example.FloatList && (e.domain == floatRange || e.domain == boolFloats):
		if s.floats, err = f.AppendFloats(s.floats[:0]); err != nil {
			p.bad(err)
			return 0, false
		}
		e.checkFloats(p, s.floats)
	case kind == example.BytesList && (e.domain != anything || e.sequences != nil):
		if s.bytes, err = f.AppendBytes(s.bytes[:0]); err != nil {
			p.bad(err)
			return 0, false
		}
		e.checkBytes(p, s.bytes)
		if e.sequences != nil {
			e.sequences.check(p, len(s.bytes), func(i int) token { return token{text: string(s.bytes[i])} })
		}
	}
	if e.dim > 0 && int64(length) != e.dim {
		p.find(pb.AnomalyInfo_EMBEDDING_SHAPE_INVALID, strconv.FormatInt(e.dim, 10)+" values, as the embedding has dimensions", strconv.Itoa(length))
	}
	return int64(length), true
}

// single returns the kind of a feature that is one value, in the canonical encoding.
func single(f example.Feature) (kind example.Kind, ok bool) {
	b := f.Raw()
	if len(b) == 0 {
		return example.Unset, false
	}
	switch b[0] {
	case canonical.Int64Tag:
		kind = example.Int64List
		_, ok = canonical.Int64(b, 0)
	case canonical.FloatTag:
		kind = example.FloatList
		_, ok = canonical.Float(b, 0)
	case canonical.BytesTag:
		kind = example.BytesList
		_, ok = canonical.Bytes(b, 0)
	}
	return kind, ok
}

func kindName(k example.Kind) string {
	switch k {
	case example.BytesList:
		return "BYTES"
	case example.Int64List:
		return "INT"
	case example.FloatList:
		return "FLOAT"
	}
	return k.String()
}

func (e *entry) checkInts(p place, x []int64) {
	b := e.ints
	low, high := pb.AnomalyInfo_INT_TYPE_SMALL_INT, pb.AnomalyInfo_INT_TYPE_BIG_INT
	switch e.domain {
	case intRange:
	case boolInts:
		b = bounds{0, 1}
		low, high = pb.AnomalyInfo_BOOL_TYPE_SMALL_INT, pb.AnomalyInfo_BOOL_TYPE_BIG_INT
	case semantic:
		if !e.values.Ints() {
			return
		}
		off := tally{}
		for i, v := range x {
			if !e.values.FitsInt(v) {
				off.see(i)
			}
		}
		if off.n > 0 {
			p.value(e.values.Type, off.first, off.n, e.values.Want, strconv.FormatInt(x[off.first], 10))
		}
		return
	default:
		return
	}
	small, big := tally{}, tally{}
	for i, v := range x {
		if v < b.min {
			small.see(i)
		} else if v > b.max {
			big.see(i)
		}
	}
	if small.n > 0 {
		p.value(low, small.first, small.n, "at least "+strconv.FormatInt(b.min, 10), strconv.FormatInt(x[small.first], 10))
	}
	if big.n > 0 {
		p.value(high, big.first, big.n, "at most "+strconv.FormatInt(b.max, 10), strconv.FormatInt(x[big.first], 10))
	}
}

// A tally counts values that break a rule.
type tally struct{ first, n int }

func (t *tally) see(i int) {
	if t.n == 0 {
		t.first = i
	}
	t.n++
}

func (e *entry) checkFloats(p place, x []float32) {
	var nan, inf, small, big, notBool tally
	for i, v := range x {
		switch {
		case e.domain == boolFloats:
			if v != 0 && v != 1 {
				notBool.see(i)
			}
		case v != v:
			if e.noNaN {
				nan.see(i)
			}
		default:
			if e.noInf && math.IsInf(float64(v), 0) {
				inf.see(i)
			}
			if v < e.low {
				small.see(i)
			} else if v > e.high {
				big.see(i)
			}
		}
	}
	for _, c := range []struct {
		tally
		rule pb.AnomalyInfo_Type
		want string
		of   float32
	}{
		{nan, pb.AnomalyInfo_FLOAT_TYPE_HAS_NAN, "no NaN", 0},
		{inf, pb.AnomalyInfo_FLOAT_TYPE_HAS_INF, "no infinity", 0},
		{small, pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT, "at least ", e.low},
		{big, pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "at most ", e.high},
		{notBool, pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT, "0 or 1", 0},
	} {
		if c.n == 0 {
			continue
		}
		want := c.want
		if want[len(want)-1] == ' ' {
			want += float32Text(c.of)
		}
		p.value(c.rule, c.first, c.n, want, float32Text(x[c.first]))
	}
}

func float32Text(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// A verdict is what a string is found to be.
type verdict uint8

const (
	good verdict = iota
	wrong
	notUTF8 // and wrong
	tooSmall
	tooBig
)

// word checks a string.
func (e *entry) word(v []byte) verdict {
	switch e.domain {
	case oneOf:
		if _, ok := e.words[string(v)]; ok {
			return good
		}
		if !utf8.Valid(v) {
			return notUTF8
		}
		return wrong
	case semantic:
		if int64(len(v)) > e.ints.max {
			return tooBig
		}
		if e.values.Bytes() && !e.values.FitsBytes(v) {
			return wrong
		}
	case intStrings:
		switch n, ok := cformat.ParseInt(string(v)); {
		case !ok:
			return wrong
		case n < e.ints.min:
			return tooSmall
		case n > e.ints.max:
			return tooBig
		}
	case floatStrings:
		switch f, ok := cformat.ParseFloat(string(v)); {
		case !ok || e.noNaN && f != f || e.noInf && math.IsInf(float64(f), 0):
			return wrong
		case f < e.low:
			return tooSmall
		case f > e.high:
			return tooBig
		}
	}
	return good
}

func (e *entry) checkBytes(p place, x [][]byte) {
	var tallies [tooBig + 1]tally
	for i, v := range x {
		tallies[e.word(v)].see(i)
	}
	wrong, utf, small, big := tallies[wrong], tallies[notUTF8], tallies[tooSmall], tallies[tooBig]
	if wrong.n+utf.n+small.n+big.n == 0 {
		return
	}
	if utf.n > 0 {
		p.value(pb.AnomalyInfo_ENUM_TYPE_INVALID_UTF8, utf.first, utf.n, "text in UTF-8", shown(x[utf.first]))
	}
	switch e.domain {
	case oneOf:
		if wrong.n > 0 {
			p.value(pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES, wrong.first, wrong.n, e.notAWord, shown(x[wrong.first]))
		}
	case semantic:
		if big.n > 0 {
			p.value(pb.AnomalyInfo_MAX_IMAGE_BYTE_SIZE_EXCEEDED, big.first, big.n, "at most "+strconv.FormatInt(e.ints.max, 10)+" bytes", strconv.Itoa(len(x[big.first])))
		}
		if wrong.n > 0 {
			p.value(e.values.Type, wrong.first, wrong.n, e.values.Want, e.values.Describe(x[wrong.first], shown))
		}
	case intStrings:
		e.outOf(p, x, [3]tally{wrong, small, big}, [3]pb.AnomalyInfo_Type{pb.AnomalyInfo_INT_TYPE_NOT_INT_STRING, pb.AnomalyInfo_INT_TYPE_SMALL_INT, pb.AnomalyInfo_INT_TYPE_BIG_INT},
			[3]string{"an integer", strconv.FormatInt(e.ints.min, 10), strconv.FormatInt(e.ints.max, 10)})
	case floatStrings:
		e.outOf(p, x, [3]tally{wrong, small, big}, [3]pb.AnomalyInfo_Type{pb.AnomalyInfo_FLOAT_TYPE_STRING_NOT_FLOAT, pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT, pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT},
			[3]string{"a number that is allowed", float32Text(e.low), float32Text(e.high)})
	}
}

// outOf adds findings for texts that are no numbers, and for numbers that are out of range.
func (e *entry) outOf(p place, x [][]byte, tallies [3]tally, rules [3]pb.AnomalyInfo_Type, want [3]string) {
	for i, t := range tallies {
		if t.n > 0 {
			p.value(rules[i], t.first, t.n, [...]string{"", "at least ", "at most "}[i]+want[i], shown(x[t.first]))
		}
	}
}

// shown quotes a value, or the beginning of one that is long.
func shown(b []byte) string {
	const most = 64
	if len(b) <= most {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(b[:most])) + "… (" + strconv.Itoa(len(b)) + " bytes)"
}

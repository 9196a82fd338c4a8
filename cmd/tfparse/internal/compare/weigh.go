package compare

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// weigh weighs a record in the encoding that every writer produces, which has no excess: maps in
// one piece, and everything as short as possible. It reports whether the record is one.
// TestWeigh compares it with weighAny, which takes five times as long.
func (l *ledger) weigh(rec []byte) bool {
	l.weights = weights{items: l.items[:0]}
	if l.typ == example.TypeExample {
		return l.weighExample(summary.Top, rec, 0)
	}
	var seen [3]bool // by the number of the field
	for i := 0; i < len(rec); {
		number, lo, hi := canonical.Field(rec, i)
		ok := false
		switch {
		case !isField(i, lo, hi):
		case l.typ == example.TypeExampleList && number == 1:
			ok = l.weighExample(summary.Examples, rec[:hi], lo)
		case seen[number]:
		case l.typ == example.TypeExampleList:
			ok = l.weighExample(summary.Context, rec[:hi], lo)
		case number == 1:
			ok = lo < hi && l.weighMap(summary.Context, rec[:hi], lo)
		default:
			ok = lo < hi && l.weighMap(summary.Lists, rec[:hi], lo)
		}
		if !ok {
			return false
		}
		seen[number] = true
		l.weights.messages += int64(lo - i)
		i = hi
	}
	return true
}

// isField reports whether a field at i with the body lo to hi has the shortest length. Its number
// is below 16.
func isField(i, lo, hi int) bool { return lo > 0 && int64(hi-i) == wire.SizeField(int64(hi-lo)) }

// weighExample weighs the Example b[i:].
func (l *ledger) weighExample(part summary.Part, b []byte, i int) bool {
	if i == len(b) {
		return true
	}
	lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
	if !ok || hi < len(b) || lo == hi || !isField(i, lo, hi) {
		return false
	}
	l.weights.messages += int64(lo - i)
	return l.weighMap(part, b, lo)
}

// weighMap weighs the map b[i:].
func (l *ledger) weighMap(part summary.Part, b []byte, i int) bool {
	l.number++
	at := &l.first[part]
	for i < len(b) {
		entry, next, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok {
			return false
		}
		name, end, ok := canonical.Message(b[:next], entry, canonical.Tag1)
		if !ok {
			return false
		}
		value, stop, ok := canonical.Message(b[:next], end, canonical.Tag2)
		if !ok || stop != next || int64(next-i) != wire.SizeField(wire.SizeField(int64(end-name))+wire.SizeField(int64(next-value))) {
			return false
		}
		c := l.expect(part, at, b[name:end])
		if c.number == l.number { // what came first is excess
			return false
		}
		c.number = l.number
		at = &c.next
		l.items = append(l.items, item{column: c, names: int64(end - name)})
		it := &l.items[len(l.items)-1]
		if part == summary.Lists {
			ok = it.steps(b[:next], value)
		} else {
			ok = it.feature(b[:next], value)
		}
		if !ok {
			return false
		}
		it.tags = int64(next-i) - it.names - it.values
		i = next
	}
	return true
}

// feature weighs the values of the Feature b[i:].
func (it *item) feature(b []byte, i int) bool {
	m, ok := canonical.Measure(b, i)
	it.kinds[m.Kind&3]++
	it.count += int64(m.Count)
	it.values += int64(m.Bytes)
	return ok
}

// steps weighs the values of the FeatureList b[i:].
func (it *item) steps(b []byte, i int) bool {
	for i < len(b) {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok || !isField(i, lo, hi) || !it.feature(b[:hi], lo) {
			return false
		}
		i = hi
	}
	return true
}

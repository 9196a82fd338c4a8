package compare

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
)

// addAny adds a record in any encoding. Its excess is what its one form, weighed in the same way, does without.
func (l *ledger) addAny(rec []byte) (err error) {
	if err := l.typ.Validate(rec); err != nil {
		return err
	}
	if l.former == nil {
		l.former = content.NewFormer(l.typ)
	}
	if l.form, err = l.former.Append(l.form[:0], rec); err != nil {
		return err
	}
	l.weighAny(l.form)
	for _, it := range l.items {
		it.column.Excess -= it.bytes()
	}
	l.weighAny(rec)
	for _, it := range l.items {
		it.column.Excess += it.bytes()
	}
	l.commit(int64(len(rec) - len(l.form)))
	return nil
}

// weighAny weighs a sound record of any encoding, field by field.
func (l *ledger) weighAny(rec []byte) {
	l.weights = weights{items: l.items[:0]}
	switch l.typ {
	case example.TypeExample:
		l.weighAnyExample(summary.Top, rec, 0)
		return
	case example.TypeSequence:
		l.fields(rec, 0, func(f wire.Field, header int64) bool {
			switch {
			case f.Type == wire.TypeBytes && f.Num == 1:
				l.weighAnyMap(summary.Context, rec[:f.Hi], f.Lo)
			case f.Type == wire.TypeBytes && f.Num == 2:
				l.weighAnyMap(summary.Lists, rec[:f.Hi], f.Lo)
			default:
				return false
			}
			l.weights.messages += header
			return true
		})
		return
	}
	l.fields(rec, 0, func(f wire.Field, header int64) bool {
		switch {
		case f.Type == wire.TypeBytes && f.Num == 1:
			l.weighAnyExample(summary.Examples, rec[:f.Hi], f.Lo)
		case f.Type == wire.TypeBytes && f.Num == 2:
			l.weighAnyExample(summary.Context, rec[:f.Hi], f.Lo)
		default:
			return false
		}
		l.weights.messages += header
		return true
	})
}

// fields calls take for each field of the message b[i:], with the size of its tag and length. What
// take does not take is an unknown field.
func (l *ledger) fields(b []byte, i int, take func(f wire.Field, header int64) bool) {
	for i < len(b) {
		f, next := wire.Next(b, i)
		if next < 0 { // not in a record that is sound
			l.weights.unknown += int64(len(b) - i)
			return
		}
		if !take(f, int64(f.Lo-i)) {
			l.weights.unknown += int64(next - i)
		}
		i = next
	}
}

func (l *ledger) weighAnyExample(part summary.Part, b []byte, i int) {
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if f.Type != wire.TypeBytes || f.Num != 1 {
			return false
		}
		l.weights.messages += header
		l.weighAnyMap(part, b[:f.Hi], f.Lo)
		return true
	})
}

func (l *ledger) weighAnyMap(part summary.Part, b []byte, i int) {
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if f.Type != wire.TypeBytes || f.Num != 1 {
			return false
		}
		it := item{tags: header}
		name := ""
		l.fields(b[:f.Hi], f.Lo, func(f wire.Field, header int64) bool {
			switch {
			case f.Type == wire.TypeBytes && f.Num == 1:
				name = string(b[f.Lo:f.Hi])
				it.names += int64(f.Hi - f.Lo)
			case f.Type == wire.TypeBytes && f.Num == 2 && part == summary.Lists:
				l.weighAnySteps(&it, b[:f.Hi], f.Lo)
			case f.Type == wire.TypeBytes && f.Num == 2:
				l.weighAnyFeature(&it, b[:f.Hi], f.Lo)
			default:
				return false
			}
			it.tags += header
			return true
		})
		at := new(*column)
		it.column = l.expect(part, at, []byte(name))
		l.items = append(l.items, it)
		return true
	})
}

func (l *ledger) weighAnySteps(it *item, b []byte, i int) {
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if f.Type != wire.TypeBytes || f.Num != 1 {
			return false
		}
		it.tags += header
		l.weighAnyFeature(it, b[:f.Hi], f.Lo)
		return true
	})
}

func (l *ledger) weighAnyFeature(it *item, b []byte, i int) {
	kind := example.Unset
	l.fields(b, i, func(f wire.Field, header int64) bool {
		if f.Type != wire.TypeBytes || f.Num > int32(example.Int64List) {
			return false
		}
		kind = example.Kind(f.Num)
		it.tags += header
		l.fields(b[:f.Hi], f.Lo, func(f wire.Field, header int64) bool {
			switch {
			case f.Num != 1:
				return false
			case f.Type == wire.TypeBytes && kind == example.BytesList,
				f.Type == wire.TypeVarint && kind == example.Int64List,
				f.Type == wire.TypeFixed32 && kind == example.FloatList:
				it.count++
			case f.Type == wire.TypeBytes && kind == example.FloatList:
				it.count += int64(f.Hi-f.Lo) / 4
			case f.Type == wire.TypeBytes:
				it.count += int64(wire.CountVarints(b[f.Lo:f.Hi]))
			default:
				return false
			}
			it.tags += header
			it.values += int64(f.Hi - f.Lo)
			return true
		})
		return true
	})
	it.kinds[kind]++
}

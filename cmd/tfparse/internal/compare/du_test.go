package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/test/sample"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/internal/wire"
)

var samples = map[string]example.MessageType{"recipes.tfrecord": example.TypeExample, "sessions.tfrecord": example.TypeSequence, "ranking.tfrecord": example.TypeExampleList}

// entries returns the counts of a ledger for one record, by feature.
func entries(l *ledger) map[string]string {
	all := map[string]string{}
	for _, it := range l.items {
		c, key := it.column, ""
		for i := 0; key == "" || all[key] != ""; i++ { // maps of one part come in the order of the message
			key = fmt.Sprintf("%v %q %d", c.Part, c.Name, i)
		}
		all[key] = fmt.Sprint(it.kinds, it.count, it.names, it.tags, it.values)
	}
	all["rest"] = fmt.Sprint(l.recordWeights.messages, l.recordWeights.unknown)
	return all
}

// weighFast weighs a canonical record without excess. It reports whether the record is canonical.
func weighFast(l *ledger, rec []byte) bool {
	size, lent := int64(0), false
	err := l.table.Read(rec, func(t *message.Table) (ok bool) {
		size, ok = l.weigh(t)
		lent = len(rec) == 0 || &t.Bytes[0] == &rec[0]
		return ok
	})
	return err == nil && lent && size == int64(len(rec))
}

// checkWeigh weighs a record in both ways, and checks the sums. It reports whether the record decodes.
func checkWeigh(t testing.TB, typ example.MessageType, rec []byte) bool {
	t.Helper()
	l := newWorkerLedger(typ, new(message.Shared))
	if weighFast(l, rec) {
		if err := typ.Validate(rec); err != nil {
			t.Fatalf("%v % x: is weighed, and does not decode: %v", typ, rec, err)
		}
		fast := entries(l)
		l.weighAny(rec)
		if slow := entries(l); !maps.Equal(fast, slow) {
			t.Fatalf("%v % x: weighed fast\n%v\nslowly\n%v", typ, rec, fast, slow)
		}
		form, err := content.NewFormer(typ).Append(nil, rec)
		if err != nil || len(form) != len(rec) {
			t.Fatalf("%v % x: is weighed without excess, and its form has %d bytes of %d, %v", typ, rec, len(form), len(rec), err)
		}
	}
	l = newWorkerLedger(typ, new(message.Shared))
	err := l.addRecord(scan.Record{Bytes: rec})
	if want := typ.Validate(rec); (want == nil) != (err == nil) {
		t.Fatalf("%v % x: error %v, want %v", typ, rec, err, want)
	}
	if err != nil {
		if l.total() != 0 {
			t.Fatalf("%v % x: refused, and adds %d bytes", typ, rec, l.total())
		}
		return false
	}
	excess := int64(0)
	for _, c := range l.rows() {
		excess += c.Excess
		if c.Excess > c.bytes() {
			t.Fatalf("%v % x: %q has %d bytes, and %d are excess", typ, rec, c.Name, c.bytes(), c.Excess)
		}
	}
	if l.total() != int64(len(rec))+16 || excess > l.excess {
		t.Fatalf("%v % x: %d bytes and the framing are %d in all; excess %d, of features %d", typ, rec, len(rec), l.total(), l.excess, excess)
	}
	whole, again := &ledger{}, l.records
	whole.mergeLedger(l)
	if whole.total() != int64(len(rec))+16 || whole.records != again || l.total() != 0 {
		t.Fatalf("%v % x: %d bytes, merged %d, left %d", typ, rec, len(rec)+16, whole.total(), l.total())
	}
	return true
}

func TestWeigh(t *testing.T) {
	testkit.OneGoroutine(t)
	for name, typ := range samples {
		for i, rec := range sample.Records(t, name) {
			for other := example.TypeExample; other <= example.TypeExampleList; other++ {
				checkWeigh(t, other, rec)
			}
			if l := newWorkerLedger(typ, new(message.Shared)); !weighFast(l, rec) {
				t.Errorf("%s: record %d, which TensorFlow wrote, is weighed slowly", name, i)
			}
			if i > 0 && !testkit.Long(t, "the flipped bits of every record") {
				continue
			}
			for _, flipped := range testkit.Flips(rec) {
				checkWeigh(t, typ, flipped)
			}
			for _, cut := range testkit.Cuts(rec) {
				checkWeigh(t, typ, cut)
			}
		}
	}
}

func field(num int32, body ...byte) []byte {
	return append(wire.AppendHeader(nil, num, int64(len(body))), body...)
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// TestExcess checks the number of excess bytes of records that do not have the shortest encoding.
func TestExcess(t *testing.T) {
	name := field(1, 'n')
	entry := func(feature []byte) []byte { return field(1, join(name, field(2, feature...))...) }
	example1 := func(parts ...[]byte) []byte { return field(1, join(parts...)...) }
	one := entry(field(3, field(1, 1)...)) // 12 bytes
	for _, c := range []struct {
		what         string
		rec          []byte
		feature, all int64
	}{
		{"nothing", example1(one), 0, 0},
		{"two values that are not packed", example1(entry(field(3, 8, 1, 8, 2))), 0, 0}, // packed: tag, length, 2 values
		{"three", example1(entry(field(3, 8, 1, 8, 2, 8, 3))), 1, 1},
		{"a varint with padding", example1(entry(field(3, field(1, 0x81, 0x80, 0)...))), 2, 2},
		{"an empty chunk", example1(entry(field(3, field(1)...))), 2, 2},
		{"an unknown field of the message", join(example1(one), field(9, 1, 2, 3)), 0, 5},
		{"an unknown field of the entry", example1(field(1, join(name, field(2, field(3, field(1, 1)...)...), field(9))...)), 0, 2},
		{"a name twice", example1(one, one), int64(len(one)), int64(len(one))},
		{"the map in two pieces", join(example1(one), example1()), 0, 2},
		{"an empty map", example1(), 0, 2},
		{"a length with padding", example1(join([]byte{0x0a, 0x80 | byte(len(one)-2), 0}, one[2:])), 1, 1},
	} {
		l := newWorkerLedger(example.TypeExample, new(message.Shared))
		if err := l.addRecord(scan.Record{Bytes: c.rec}); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		feature := int64(0)
		for _, col := range l.rows() {
			feature += col.Excess
		}
		if feature != c.feature || l.excess != c.all || l.total() != int64(len(c.rec))+16 {
			t.Errorf("%s: excess of the feature %d, of all %d, total %d; want %d, %d, %d", c.what, feature, l.excess, l.total(), c.feature, c.all, len(c.rec)+16)
		}
	}
}

// TestManyColumns checks that features beyond the limit of names are counted together and the totals stay right.
func TestManyColumns(t *testing.T) {
	whole := &ledger{}
	want, n := int64(0), maxColumns+50
	for i := range n {
		l := newWorkerLedger(example.TypeExample, new(message.Shared))
		msg, err := example.Example{fmt.Sprint("name ", i): example.Int64s(int64(i))}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := l.addRecord(scan.Record{Bytes: msg}); err != nil {
			t.Fatal(err)
		}
		whole.mergeLedger(l)
		want += int64(len(msg)) + 16
	}
	if whole.total() != want || len(whole.columns) != maxColumns || whole.rest.Present != 50 {
		t.Errorf("total %d, want %d; %d columns, and %d more features", whole.total(), want, len(whole.columns), whole.rest.Present)
	}
	if rows := whole.rows(); len(rows) != maxColumns+1 || rows[0] != whole.rest || rows[0].Part != summary.Top {
		t.Errorf("%d rows, the first is %+v", len(rows), rows[0])
	}
}

func FuzzWeigh(f *testing.F) {
	for name := range samples {
		for _, rec := range sample.Records(f, name)[:3] {
			f.Add(rec)
		}
	}
	f.Fuzz(func(t *testing.T, rec []byte) {
		for typ := example.TypeExample; typ <= example.TypeExampleList; typ++ {
			checkWeigh(t, typ, rec)
		}
	})
}

// TestBars adds bars to rows in the free columns of the terminal.
func TestBars(t *testing.T) {
	rows := []tableRow{{bytes: 100}, {bytes: 50}, {bytes: 1}}
	text := func() []string { return []string{"WHERE  X", "é  -", "longer  7", "c"} }
	for columns, want := range map[int]string{
		80: "WHERE  X\né  -       " + strings.Repeat("#", 40) + "\nlonger  7  " + strings.Repeat("#", 20) + "\nc\n",
		22: "WHERE  X\né  -       ##########\nlonger  7  #####\nc\n",
		16: "WHERE  X\né  -\nlonger  7\nc\n", // no room for five
		1:  "WHERE  X\né  -\nlonger  7\nc\n",
	} {
		lines := text()
		addBars(lines, rows, columns)
		got := strings.Join(lines, "\n") + "\n"
		if got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}

package sketch

import (
	"fmt"
	"reflect"
	"testing"
)

// Labels in memory that others had are like any: they count the same, and say that they take as much.
func TestSpare(t *testing.T) {
	var spare Spare
	old := NewLabels(10)
	for i := range 5000 {
		old.Add(fmt.Appendf(nil, "a label that is longer than an item: %d", i), 1)
	}
	if spare.Keep(old, 100<<10); spare.Bytes() != 0 {
		t.Fatalf("%d bytes kept, wanted none: it has more than are allowed", spare.Bytes())
	}
	if spare.Keep(old, 1<<20); spare.Bytes() < 5000*itemSize {
		t.Fatalf("%d bytes kept of 5000 items", spare.Bytes())
	}
	used, fresh := NewLabels(10), NewLabels(10)
	if spare.Give(used); spare.Bytes() != 0 || used.table.held() < 5000*itemSize {
		t.Fatalf("%d bytes kept, %d given away", spare.Bytes(), used.table.held())
	}
	for i := range 7000 {
		key := fmt.Appendf(nil, "%d", i*i%4999)
		used.Add(key, 1)
		fresh.Add(key, 1)
		if i%100 == 0 && used.Bytes() != fresh.Bytes() {
			t.Fatalf("%d bytes after %d labels, and %d in memory of its own", used.Bytes(), i+1, fresh.Bytes())
		}
	}
	if got, want := used.Top(50, nil), fresh.Top(50, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, wanted %v", got, want)
	}
	if got, want := used.AppendState(nil), fresh.AppendState(nil); string(got) != string(want) {
		t.Error("another state")
	}
}

// What Bytes says of items and slots is what they take, but for what is kept of others.
func TestTableBytes(t *testing.T) {
	l := NewLabels(10)
	for i := range 3000 {
		l.Add(fmt.Appendf(nil, "%d", i), 1)
		if got, held := l.table.bytes(), l.table.held(); got < held || got > 3*held+200 {
			t.Fatalf("%d bytes with %d labels, which have %d", got, i+1, held)
		}
	}
}

// Labels that are exact have no hashes, and no limit of them.
func TestLabelsStateOfNoStage(t *testing.T) {
	l := NewLabels(10)
	l.Add([]byte("a"), 1)
	b := l.AppendState(nil)
	in := NewDecoder(b)
	if in.Labels(10); in.Err() != nil {
		t.Fatal(in.Err())
	}
	b[len(b)-2] = 5 // the limit
	in = NewDecoder(b)
	if in.Labels(10); in.Err() == nil {
		t.Error("no error")
	}
}

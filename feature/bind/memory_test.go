package bind_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestReuse proves that memory is reused while records shrink and grow.
func TestReuse(t *testing.T) {
	type doc struct {
		Rows  [][]int64    `tfparse:"rows,row_lengths=rows/l"`
		Deep  [][][]int64  `tfparse:"deep,row_lengths=deep/1,row_lengths=deep/2"`
		Named [][]count    `tfparse:"named,row_lengths=named/l"`
		Cells [][2]float64 `tfparse:"cells"`
	}
	type docs struct {
		Docs []doc `tfparse:",examples"`
	}
	codec := newCodec[docs](t)
	var records [][]byte
	for _, n := range []int{3, 1, 2, 0} {
		d := docs{Docs: make([]doc, n)}
		for i := range d.Docs {
			d.Docs[i] = doc{
				Rows:  make([][]int64, n),
				Deep:  make([][][]int64, n),
				Named: make([][]count, n),
				Cells: make([][2]float64, n),
			}
			for j := range n {
				d.Docs[i].Rows[j] = make([]int64, n)
				d.Docs[i].Named[j] = make([]count, n)
				d.Docs[i].Deep[j] = [][]int64{make([]int64, n), make([]int64, n)}
			}
		}
		record, err := codec.Encode(&d)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	var v docs
	all := func() {
		for _, r := range records {
			if err := codec.Decode(r, &v); err != nil {
				t.Fatal(err)
			}
		}
	}
	all()
	if got := testing.AllocsPerRun(100, all); got > 0 && !testkit.Race {
		t.Errorf("%v allocations for %d records of sizes seen before", got, len(records))
	}

	// A slice that grows keeps the memory of its elements, also of those after its length.
	type rows struct {
		Rows [][]int64 `tfparse:"rows,uniform_row_length=1"`
	}
	r := newCodec[rows](t)
	var w rows
	var third *int64
	for _, n := range []int{3, 1, 20} {
		if err := r.Decode(marshal(t, example.Example{"rows": example.Int64s(make([]int64, n)...)}), &w); err != nil {
			t.Fatal(err)
		}
		if n == 3 {
			third = &w.Rows[2][0]
		}
	}
	if &w.Rows[2][0] != third {
		t.Error("the memory of a row behind the length was not used again")
	}
	type blobs struct {
		Blobs [][]byte `tfparse:"blobs"`
	}
	c := newCodec[blobs](t)
	var b blobs
	if err := c.Decode(marshal(t, example.Example{"blobs": example.Strings("one")}), &b); err != nil {
		t.Fatal(err)
	}
	first := &b.Blobs[0][0]
	if err := c.Decode(marshal(t, example.Example{"blobs": example.Strings("1", "two", "three")}), &b); err != nil {
		t.Fatal(err)
	}
	if &b.Blobs[0][0] != first || string(b.Blobs[0]) != "1" || string(b.Blobs[2]) != "three" {
		t.Errorf("memory was not used again: %q", b.Blobs)
	}
}

// TestOwnership proves which memory belongs to the caller after decoding.
func TestOwnership(t *testing.T) {
	type owned struct {
		Text  string     `tfparse:"text"`
		Texts [][]string `tfparse:"texts,row_lengths=texts/l"`
		Rows  [][]int64  `tfparse:"rows,row_lengths=rows/l"`
		Blobs [][]byte   `tfparse:"blobs"`
		Blob  []byte     `tfparse:"blob"`
		Opt   *int64     `tfparse:"opt"`
		Note  string     `tfparse:"-"`
		mine  int
	}
	codec := newCodec[owned](t)
	first := owned{Text: "first text", Texts: [][]string{{"a", "b"}, {"c"}}, Rows: [][]int64{{1, 2}, {3}, {4, 5}}, Blobs: [][]byte{[]byte("one"), []byte("two")}, Blob: []byte("blob"), Opt: new(int64)}
	second := owned{Text: "2", Texts: [][]string{{"d"}}, Rows: [][]int64{{6}, {7}, {8, 9}}, Blobs: [][]byte{[]byte("3")}, Blob: []byte("b")}
	var records [][]byte
	for _, v := range []owned{first, second} {
		r, err := codec.Encode(&v)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	v := owned{Note: "kept", mine: 1}
	if err := codec.Decode(records[0], &v); err != nil {
		t.Fatal(err)
	}
	first.Note, first.mine = "kept", 1
	equal := cmp.AllowUnexported(owned{})
	if d := cmp.Diff(first, v, equal); d != "" {
		t.Fatal(d)
	}
	// Rows are slices of one array. Appending to a row does not change the next one.
	_, _, _ = append(v.Rows[0], -1), append(v.Blobs[0], 'X'), append(v.Texts[0], "X")
	if d := cmp.Diff(first, v, equal); d != "" {
		t.Errorf("after appending: %s", d)
	}
	text, texts, row, blob := v.Text, v.Texts[0][1], v.Rows[2], v.Blob
	if err := codec.Decode(records[1], &v); err != nil {
		t.Fatal(err)
	}
	second.Note, second.mine = "kept", 1
	if d := cmp.Diff(second, v, equal); d != "" {
		t.Error(d)
	}
	if text != "first text" || texts != "b" {
		t.Errorf("strings did not stay: %q, %q", text, texts)
	}
	if row[0] != 8 || &v.Rows[2][0] != &row[0] || &v.Blob[0] != &blob[0] {
		t.Errorf("memory was not used again: %v, %q", row, blob)
	}
	if got := v.Texts[0][:2]; got[1] != "" {
		t.Errorf("a string of the record before is kept behind a slice: %q", got)
	}
	if err := codec.Decode(records[0], &v); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first, v, equal); d != "" {
		t.Error(d)
	}
}

// TestAllocs has the allocation budgets of a request of 40 features. A reused struct needs one allocation, for its
// strings. A new one needs one for each slice, and one for the rows of a nested slice.
func TestAllocs(t *testing.T) {
	codec := fortyCodec(t)
	records, _ := requests(t, codec, 64)
	var r Forty
	i := 0
	next := func() []byte {
		i++
		return records[i%len(records)]
	}
	for range 3 * len(records) {
		if err := codec.Decode(next(), &r); err != nil {
			t.Fatal(err)
		}
	}
	var dst []byte
	budgets := []struct {
		what string
		max  float64
		f    func() error
	}{
		{"decode into the same struct", 1, func() error { return codec.Decode(next(), &r) }},
		{"decode into a new struct", 1 + 1 + 8 + 2*5, func() error { return codec.Decode(next(), new(Forty)) }},
		{"encode", 0, func() (err error) {
			dst, err = codec.AppendRecord(dst[:0], &r)
			return err
		}},
	}
	for _, b := range budgets {
		if testkit.Race {
			t.Skip("skipped: under the race detector a sync.Pool drops what it holds at random")
		}
		got := testing.AllocsPerRun(200, func() {
			if err := b.f(); err != nil {
				t.Fatal(err)
			}
		})
		if got > b.max {
			t.Errorf("%s: %v allocations, at most %v are allowed", b.what, got, b.max)
		}
	}
}

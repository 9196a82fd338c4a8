package tfrecord_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// recovered collects the results of Recover. It checks that records and losses are in order, without a gap or an
// overlap.
func recovered(t testing.TB, src io.Reader, opts *tfrecord.ReaderOptions) (payloads [][]byte, losses []tfrecord.SkippedRange) {
	t.Helper()
	at, ordinal := int64(0), int64(0)
	for x := range tfrecord.NewReader(src, opts).Recover() {
		if at < 0 {
			t.Fatal("something follows a loss of the rest")
		}
		if x.Pos.Offset != at || x.Pos.Record != ordinal {
			t.Errorf("at %v, want record %d, offset %d", x.Pos, ordinal, at)
		}
		ordinal++
		if x.Skipped == nil {
			payloads = append(payloads, bytes.Clone(x.Record))
			at += 16 + int64(len(x.Record))
			continue
		}
		if x.Record != nil || x.Skipped.Begin != at || x.Skipped.End != -1 && (x.Skipped.End < at || x.Skipped.End == at && x.Skipped.Records != 0) || x.Skipped.Err == nil || x.Skipped.Err.Position != x.Pos {
			t.Errorf("at %d: %+v", at, x)
		}
		losses = append(losses, *x.Skipped)
		at = x.Skipped.End
	}
	return payloads, losses
}

// sketch returns losses in a short form: begin-end records class.
func sketch(losses []tfrecord.SkippedRange) []string {
	var s []string
	for _, l := range losses {
		s = append(s, fmt.Sprintf("%d-%d %d %v", l.Begin, l.End, l.Records, l.Err.Class))
	}
	return s
}

func TestRecover(t *testing.T) {
	p := [][]byte{[]byte("first"), []byte("second record"), {}, []byte("the fourth"), []byte("last")}
	raw := slowStream(p...) // begins at 0, 21, 50, 66, 92; ends at 112
	change := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(raw)) }
	flip := func(at ...int) []byte {
		return change(func(b []byte) []byte {
			for _, i := range at {
				b[i] ^= 0x20
			}
			return b
		})
	}
	inner := slowStream([]byte("before"), slowStream([]byte("inner 1"), []byte("inner 2")), []byte("after"))
	for _, c := range []struct {
		name string
		data []byte
		want []int // indices in p
		lost []string
	}{
		{"nothing damaged", raw, []int{0, 1, 2, 3, 4}, nil},
		{"empty", nil, nil, nil},
		{"a payload", flip(21 + 12), []int{0, 2, 3, 4}, []string{"21-50 1 payload_crc"}},
		{"a footer", flip(49), []int{0, 2, 3, 4}, []string{"21-50 1 payload_crc"}},
		{"the first payload", flip(12), []int{1, 2, 3, 4}, []string{"0-21 1 payload_crc"}},
		{"the last payload", flip(92 + 12), []int{0, 1, 2, 3}, []string{"92-112 1 payload_crc"}},
		{"two payloads side by side", flip(21+12, 50+12), []int{0, 3, 4}, []string{"21-50 1 payload_crc", "50-66 1 payload_crc"}},
		{"a length", flip(21), []int{0, 2, 3, 4}, []string{"21-50 -1 length_crc"}},
		{"the first length", flip(0), []int{1, 2, 3, 4}, []string{"0-21 -1 length_crc"}},
		{"the last length", flip(92), []int{0, 1, 2, 3}, []string{"92-112 -1 length_crc"}},
		{"a payload and the header after it", flip(21+12, 50), []int{0, 3, 4}, []string{"21-66 -1 payload_crc"}},
		{"every header", flip(0, 21, 50, 66, 92), nil, []string{"0-112 -1 length_crc"}},
		{"a byte inserted", change(func(b []byte) []byte { return slices.Insert(b, 40, 'x') }), []int{0, 2, 3, 4}, []string{"21-51 -1 payload_crc"}},
		{"a byte lost", change(func(b []byte) []byte { return slices.Delete(b, 40, 41) }), []int{0, 2, 3, 4}, []string{"21-49 -1 payload_crc"}},
		{"cut in a header", raw[:70], []int{0, 1, 2}, []string{"66-70 -1 truncated"}},
		{"cut in a payload", raw[:90], []int{0, 1, 2}, []string{"66-90 -1 truncated"}},
		{"a payload, and cut in the next record", flip(66 + 12)[:100], []int{0, 1, 2}, []string{"66-100 -1 payload_crc"}},
		{"zeros at the end", append(bytes.Clone(raw), make([]byte, 300)...), []int{0, 1, 2, 3, 4}, []string{"112-412 -1 length_crc"}},
		{"text before", append([]byte("some header\n"), raw...), []int{0, 1, 2, 3, 4}, []string{"0-12 -1 not_tfrecord"}},
		{"a header over the limit", append(append(bytes.Clone(raw[:50]), slowHeader(1<<40)...), raw[50:]...), []int{0, 1, 2, 3, 4}, []string{"50-62 -1 too_long"}},
		{"text alone", []byte("this is some text, and nothing but"), nil, []string{"0-34 -1 not_tfrecord"}},
	} {
		var want [][]byte
		for _, i := range c.want {
			want = append(want, p[i])
		}
		for _, src := range []io.Reader{bytes.NewReader(c.data), &stutter{r: bytes.NewReader(c.data)}} {
			got, losses := recovered(t, src, &tfrecord.ReaderOptions{SkipChecksums: true, BufferSize: 1})
			if !equalPayloads(got, want) || !slices.Equal(sketch(losses), c.lost) {
				t.Errorf("%s: %q, %q\nwant %q, %q", c.name, got, sketch(losses), want, c.lost)
			}
		}
	}

	// Records inside a payload are found only if the header of the outer record is damaged.
	got, losses := recovered(t, bytes.NewReader(inner), nil)
	if len(got) != 3 || len(losses) > 0 {
		t.Errorf("nested: %q, %v", got, losses)
	}
	inner[22] ^= 1
	got, losses = recovered(t, bytes.NewReader(inner), nil)
	if len(got) != 4 || !slices.Equal(sketch(losses), []string{"22-34 -1 length_crc", "80-84 -1 length_crc"}) {
		t.Errorf("nested, damaged outside: %q, %q", got, sketch(losses))
	}
}

// TestRecoverTooLong: a record above the limit is skipped by its length, and records inside its payload are not
// returned.
func TestRecoverTooLong(t *testing.T) {
	testkit.OneGoroutine(t)
	inner := slowStream([]byte("1"), []byte("2"), []byte("3"), []byte("4"), []byte("5"))
	long := slowRecord(append(inner, "and some more text"...)) // 85 + 18 + 16 bytes
	a, z := slowRecord([]byte("before")), slowRecord([]byte("after"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	flip := func(b []byte, i int) []byte { b = bytes.Clone(b); b[i] ^= 1; return b }
	huge := slowRecord(append(bytes.Repeat(slowRecord([]byte("inside")), 9<<20/22), 'x'))
	liar := append(slowHeader(uint64(len(huge))), huge[12:]...)
	for _, c := range []struct {
		name    string
		data    []byte
		records int
		lost    []string
	}{
		{"between others", join(a, long, z), 2, []string{"22-141 1 too_long"}},
		{"first", join(long, z), 1, []string{"0-119 1 too_long"}},
		{"last", join(a, long), 1, []string{"22-141 1 too_long"}},
		{"alone", long, 0, []string{"0-119 1 too_long"}},
		{"two", join(a, long, long, z), 2, []string{"22-141 1 too_long", "141-260 1 too_long"}},
		{"behind a damaged payload", join(flip(a, 12), long, z), 1, []string{"0-22 1 payload_crc", "22-141 1 too_long"}},
		{"before a damaged payload", join(long, flip(z, 12)), 0, []string{"0-119 1 too_long", "119-140 1 payload_crc"}},
		{"with a damaged payload", join(a, flip(long, 20), z), 2, []string{"22-141 1 too_long"}},
		{"before a damaged header", join(a, long, flip(z, 0), z), 7, []string{"22-34 -1 too_long", "119-162 -1 length_crc"}},
		{"cut", join(a, long[:100]), 6, []string{"22-34 -1 too_long", "119-122 -1 truncated"}},
		{"longer than what is looked over", join(a, huge, z), 2, []string{fmt.Sprintf("22-%d 1 too_long", 22+len(huge))}},
		{"longer, and last", join(a, huge), 1, []string{fmt.Sprintf("22-%d 1 too_long", 22+len(huge))}},
		{"longer, and cut", join(a, huge[:len(huge)-1]), 1, []string{fmt.Sprintf("22-%d -1 too_long", 22+len(huge)-1)}},
		{"longer, and a lie", join(a, liar, a, a, z), 3, []string{fmt.Sprintf("22-%d -1 too_long", 22+len(liar)+22)}},
	} {
		for _, src := range []io.Reader{bytes.NewReader(c.data), struct{ io.Reader }{bytes.NewReader(c.data)}} {
			got, losses := recovered(t, src, &tfrecord.ReaderOptions{MaxRecordSize: 50, Compression: tfrecord.None})
			if len(got) != c.records || !slices.Equal(sketch(losses), c.lost) {
				t.Errorf("%s: %d records, lost %q; want %d, lost %q", c.name, len(got), sketch(losses), c.records, c.lost)
			}
		}
	}
}

// damage changes b a little, in a way that happens to files.
func damage(rnd *rand.Rand, b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	i := rnd.IntN(len(b))
	j := min(len(b), i+1+rnd.IntN(64))
	switch rnd.IntN(6) {
	case 0, 1:
		b[i] ^= 1 << rnd.IntN(8)
	case 2:
		clear(b[i:j])
	case 3:
		b = slices.Delete(b, i, j)
	case 4:
		b = slices.Insert(b, i, slowRecord(nil)...)
	case 5:
		b = slices.Insert(b, i, slowHeader(uint64(rnd.IntN(2*len(b))))...)
	}
	return b
}

// TestRecoverAgainstTheRule compares with an implementation that applies the rule at every byte.
func TestRecoverAgainstTheRule(t *testing.T) {
	rounds := 100
	if testkit.Long(t, "600 damaged streams") {
		rounds = 600
	}
	for seed := range uint64(rounds) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		b := slowStream(somePayloads(seed, 1+rnd.IntN(12))...)
		for range rnd.IntN(6) {
			b = damage(rnd, b)
		}
		compareRecover(t, b)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func compareRecover(t testing.TB, b []byte) {
	t.Helper()
	limit := uint64(2000)
	want, lost := slowRecover(b, limit)
	for _, size := range []int{1, 0} {
		got, losses := recovered(t, struct{ io.Reader }{bytes.NewReader(b)},
			&tfrecord.ReaderOptions{Compression: tfrecord.None, MaxRecordSize: int64(limit), BufferSize: size})
		var spans [][2]int64
		for _, l := range losses {
			spans = append(spans, [2]int64{l.Begin, l.End})
		}
		if !equalPayloads(got, want) || !slices.Equal(spans, lost) {
			t.Errorf("%x:\n%d records, lost %v\nwant %d, lost %v", b, len(got), spans, len(want), lost)
		}
	}
}

// TestRecoverIsLinear has streams for which checking every possible payload would take 100 times as long.
func TestRecoverIsLinear(t *testing.T) {
	testkit.OneGoroutine(t)
	const limit = 10 * time.Second
	size := testkit.Rounds(3 << 20)
	timing := testkit.Timing(t, "the time that each stream takes")
	claims := func(n uint64, with []byte) []byte {
		var b []byte
		for len(b) < size {
			b = append(append(b, slowHeader(n)...), with...)
		}
		return b
	}
	growing := func() (b []byte) {
		for len(b) < size { // each ends a little after the one before
			b = append(b, slowHeader(uint64(len(b)/2))...)
		}
		return b
	}
	for name, data := range map[string][]byte{
		"headers that claim half of it":     claims(uint64(size/2), nil),
		"headers that claim a little":       claims(3000, nil),
		"headers that claim a bit more":     claims(5000, nil),
		"headers that claim more and more":  growing(),
		"claims between genuine records":    claims(uint64(size/2), slowRecord(nil)),
		"claims of it all between the same": claims(1<<30, slowRecord([]byte("genuine"))),
		"zeros":                             make([]byte, size),
		"long claims after long records":    claims(60_000, slowRecord(make([]byte, 64<<10))),
	} {
		var items int
		var spent uint64
		for try := 1; ; try++ {
			items = 0
			start := time.Now()
			spent = allocated(func() {
				for range tfrecord.NewReader(struct{ io.Reader }{bytes.NewReader(data)}, nil).Recover() {
					items++
				}
			})
			// A quadratic algorithm would compute checksums of size²/24 bytes, which takes longer than the limit. A
			// linear one takes a second. On a busy machine there are several attempts.
			d := time.Since(start)
			if d <= limit {
				t.Logf("%s: %d items, %v, %d MB", name, items, d.Round(time.Millisecond), spent>>20)
				break
			}
			if !timing {
				break
			}
			if try == 3 {
				t.Errorf("%s: %v", name, d)
				break
			}
		}
		if spent > 16*uint64(size) {
			t.Errorf("%s: %d bytes of memory for %d", name, spent, size)
		}
	}
}

// TestRecoverMemoryIsLinear: a reader that reads far ahead and continues one header at a time uses memory of the
// caller in proportion to the stream, so it also copies no more than that.
func TestRecoverMemoryIsLinear(t *testing.T) {
	testkit.OneGoroutine(t)
	const size = 1 << 20
	most := errors.New("more than 16 times the stream")
	for _, claim := range []uint64{size / 2, size / 8, 5000} {
		data := bytes.Repeat(slowHeader(claim), size/tfrecord.HeaderSize)
		data[0] ^= 1
		given := 0
		r := withMemory(tfrecord.NewReader(struct{ io.Reader }{bytes.NewReader(data)}, &tfrecord.ReaderOptions{BufferSize: 4096}), func(n int) ([]byte, error) {
			if given += n; given > 16*size {
				return nil, most
			}
			return make([]byte, n), nil
		})
		for item := range r.Recover() {
			if item.Skipped == nil || errors.Is(item.Skipped.Err, most) {
				t.Errorf("headers that claim %d: %+v", claim, item)
			}
		}
	}
}

// TestRecoverLongRecords: checksums that are combined from parts are right.
func TestRecoverLongRecords(t *testing.T) {
	testkit.OneGoroutine(t)
	rnd := rand.NewChaCha8([32]byte{3})
	var want [][]byte
	for _, n := range []int{4095, 4096, 4097, 8192, 100_000, 1 << 20, 3<<20 + 1, 5000, 0, 70_000} {
		p := make([]byte, n)
		rnd.Read(p)
		want = append(want, p)
	}
	raw := slowStream(want...)
	for shift := range 3 {
		for _, src := range []io.Reader{bytes.NewReader(raw), struct{ io.Reader }{bytes.NewReader(raw)}} {
			got, losses := recovered(t, src, nil)
			if !equalPayloads(got, want) || len(losses) > 0 {
				t.Errorf("%d records, lost %v", len(got), sketch(losses))
			}
		}
		// The same after bytes that make it scan.
		data := append(make([]byte, 1000+shift*341), raw...)
		got, losses := recovered(t, struct{ io.Reader }{bytes.NewReader(data)}, nil)
		if !equalPayloads(got, want) || len(losses) != 1 {
			t.Errorf("after zeros: %d records, lost %v", len(got), sketch(losses))
		}
		// With a wrong bit in each, all records are lost, and each loss has its place.
		bad := bytes.Clone(raw)
		at := 0
		for _, p := range want {
			bad[at+12+len(p)/2+shift] ^= 1
			at += 16 + len(p)
		}
		got, losses = recovered(t, bytes.NewReader(bad), nil)
		if len(got) != 0 || len(losses) != len(want) {
			t.Errorf("damaged: %d records, lost %v", len(got), sketch(losses))
		}
	}
}

func TestRecoverCompressed(t *testing.T) {
	testkit.OneGoroutine(t)
	payloads := somePayloads(9, 400)
	raw := slowStream(payloads...)
	for _, c := range codecs[1:] {
		data := packRaw(t, c, raw)
		if got, losses := recovered(t, bytes.NewReader(data), nil); !equalPayloads(got, payloads) || len(losses) > 0 {
			t.Errorf("%v: %d records, lost %v", c, len(got), sketch(losses))
		}
		// Damage of the uncompressed stream is skipped.
		bad := bytes.Clone(raw)
		bad[len(bad)/2] ^= 4
		got, losses := recovered(t, bytes.NewReader(packRaw(t, c, bad)), nil)
		if len(got) != len(payloads)-1 || len(losses) != 1 || losses[0].End < 0 {
			t.Errorf("%v, damaged inside: %d records, lost %v", c, len(got), sketch(losses))
		}
		// Damage of the compression ends recovery with an error.
		got, losses = recovered(t, bytes.NewReader(data[:len(data)-5]), &tfrecord.ReaderOptions{Compression: c})
		if len(losses) != 1 || losses[0].End != -1 || losses[0].Err.Class != tfrecord.Truncated || !equalPayloads(got, payloads[:len(got)]) {
			t.Errorf("%v, cut: %d records, lost %v", c, len(got), sketch(losses))
		}
		// Both: first the damage in the uncompressed stream, then the missing end. A truncated snappy stream loses
		// all of its last block.
		if c == tfrecord.SNAPPY {
			continue
		}
		data = packRaw(t, c, append(bytes.Clone(raw), "and some text behind"...))
		got, losses = recovered(t, bytes.NewReader(data[:len(data)-1]), nil)
		end := len(raw) + len("and some text behind")
		want := []string{fmt.Sprintf("%d-%d -1 length_crc", len(raw), end), fmt.Sprintf("%d--1 -1 truncated", end)}
		if !equalPayloads(got, payloads) || !slices.Equal(sketch(losses), want) {
			t.Errorf("%v, cut and damaged: %d records, lost %q, want %q", c, len(got), sketch(losses), want)
		}
	}
	_, losses := recovered(t, bytes.NewReader(raw), &tfrecord.ReaderOptions{Compression: tfrecord.GZIP})
	if len(losses) != 1 || losses[0].Err.LooksLike != "uncompressed" || losses[0].End != -1 {
		t.Errorf("not gzip: %v", sketch(losses))
	}
}

// TestRecoverSnappyBlocks: one corrupt block loses only the records in it.
func TestRecoverSnappyBlocks(t *testing.T) {
	var payloads [][]byte
	for i := range 40 {
		payloads = append(payloads, fmt.Appendf(nil, "record number %02d of a stream in blocks", i))
	}
	raw := slowStream(payloads...)
	const block = 500 // about nine records; blocks end inside records
	var whole []byte
	var starts []int
	for i := 0; i < len(raw); i += block {
		starts = append(starts, len(whole))
		whole = append(whole, snappyBlock(raw[i:min(len(raw), i+block)])...)
	}
	size := int64(16 + len(payloads[0]))
	for n, start := range starts {
		data := bytes.Clone(whole)
		data[start+4+2] |= 3 // the first tag, or the second byte of the size
		data[start+4+3] = 0xff
		got, losses := recovered(t, bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: tfrecord.SNAPPY})
		first := int64(n) * block / size                                     // the first record that overlaps the block
		behind := (min(int64(n+1)*block, int64(len(raw))) + size - 1) / size // the first that begins after the block
		want := append(slices.Clone(payloads[:first]), payloads[behind:]...)
		lost := fmt.Sprintf("%d-%d -1 codec", first*size, behind*size)
		if !equalPayloads(got, want) || !slices.Equal(sketch(losses), []string{lost}) {
			t.Errorf("block %d: %d records, lost %q; want %d, %q", n, len(got), sketch(losses), len(want), lost)
		}
	}
	// An impossible size ends recovery.
	data := bytes.Clone(whole)
	data[starts[2]] = 0x7f
	got, losses := recovered(t, bytes.NewReader(data), nil)
	if len(losses) != 1 || losses[0].End != -1 || !errors.Is(losses[0].Err, io.ErrUnexpectedEOF) || len(got) != int(2*block/size) {
		t.Errorf("size damaged: %d records, lost %q", len(got), sketch(losses))
	}
}

func TestRecoverStops(t *testing.T) {
	raw := slowStream(somePayloads(10, 20)...)
	raw[12] ^= 1
	for stop := range 20 {
		n := 0
		for range tfrecord.NewReader(bytes.NewReader(raw), nil).Recover() {
			if n++; n > stop {
				break
			}
		}
		if n != stop+1 {
			t.Errorf("%d items after a break at %d", n, stop)
		}
	}
}

// TestRecoverKeepsRanges: a range that the caller keeps does not change when the next one is found. The payload of
// the second record is damaged, and the source fails after it.
func TestRecoverKeepsRanges(t *testing.T) {
	raw := slowStream([]byte("first"), []byte("second"), []byte("third"))
	raw[len("first")+16+12] ^= 1
	src := io.MultiReader(bytes.NewReader(raw[:len(raw)-3]), iotest.ErrReader(errors.New("unplugged")))
	var kept []*tfrecord.SkippedRange
	var seen []tfrecord.SkippedRange
	for x := range tfrecord.NewReader(src, &tfrecord.ReaderOptions{Compression: tfrecord.None}).Recover() {
		if x.Skipped != nil {
			kept, seen = append(kept, x.Skipped), append(seen, *x.Skipped)
		}
	}
	if len(kept) < 2 {
		t.Fatalf("%d ranges, want the damage and the rest", len(kept))
	}
	for i, k := range kept {
		if *k != seen[i] {
			t.Errorf("range %d was %+v, and is %+v at the end", i, seen[i], *k)
		}
	}
}

package dataset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// damagedFS is shardFS with records that do not fit, and one changed byte in a file.
func damagedFS(t *testing.T, r *rand.Rand) fstest.MapFS {
	fsys := fstest.MapFS{}
	const files = 7
	for f := range files {
		var recs [][]byte
		for i := range []int{40, 0, 150, 3, 90, 61, 200}[f] {
			rec := numbered(t, f, i)
			if r.IntN(15) == 0 {
				rec = rec[:len(rec)/2] // does not fit
			}
			recs = append(recs, rec)
		}
		codec := codecs[f%len(codecs)]
		data := stream(t, codec, recs...)
		if codec == tfrecord.None {
			data[len(data)/2] ^= 1
		}
		fsys[fmt.Sprintf("f-%05d-of-%05d", f, files)] = &fstest.MapFile{Data: data}
	}
	return fsys
}

// randomOptions returns options for which a stream has a State.
func randomOptions(r *rand.Rand) dataset.FilesOptions {
	o := dataset.FilesOptions{
		Workers: 1 + r.IntN(4), Prefetch: r.IntN(4) - 1, Budget: int64(r.IntN(2)) * (2000 + r.Int64N(20_000)),
		Seed: r.Uint64(), Interleave: r.IntN(4), ShuffleFiles: r.IntN(2) == 0, DropRemainder: r.IntN(4) == 0,
	}
	if r.IntN(3) > 0 {
		o.Shuffle = 1 + r.IntN(120)
	}
	if r.IntN(3) == 0 {
		o.ShuffleBytes = 1 + r.Int64N(6000)
	}
	if r.IntN(2) == 0 {
		o.Repeat = []int64{2, 3, -1}[r.IntN(3)]
	}
	if r.IntN(3) == 0 {
		o.Skip = r.Int64N(50)
	}
	if r.IntN(3) == 0 {
		o.Take = 1 + r.Int64N(300)
	}
	if r.IntN(3) == 0 {
		o.Shard = dataset.Shard{Index: r.IntN(2), Count: 2, ByRecord: r.IntN(2) == 0}
	}
	if r.IntN(3) == 0 {
		o.Filter = func(rec []byte) (bool, error) { return len(rec)%3 > 0, nil }
	}
	if r.IntN(4) == 0 {
		o.GlobalShuffle, o.ShuffleFiles, o.Interleave, o.Shuffle = true, false, 0, 0
	}
	return o
}

// A consumer returns the records or batches of a stream one by one.
type consumer interface {
	next() (string, error)
	State() (*dataset.State, error)
	Close() error
}

type recordConsumer struct{ *dataset.Records }

func (c recordConsumer) next() (string, error) {
	rec, err := c.Next()
	return fmt.Sprintf("%v %x", c.Pos(), rec), err
}

type batchConsumer struct{ *dataset.Batches }

func (c batchConsumer) next() (string, error) {
	b, err := c.Next()
	if err != nil {
		return "", err
	}
	defer b.Release()
	var rows bytes.Buffer
	for i := range b.Len() {
		fmt.Fprintf(&rows, "%v ", b.Position(i))
	}
	ids, err := feature.ColumnOf[int64](b.Columns(), "record")
	fmt.Fprint(&rows, ids)
	return rows.String(), err
}

// remake encodes a State as JSON and decodes it again.
func remake(t *testing.T, s *dataset.State) *dataset.State {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again := new(dataset.State)
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(again)
	if err != nil || !bytes.Equal(text, second) {
		t.Fatalf("%v: state %s became %s", err, text, second)
	}
	return again
}

// TestResume stops a stream at random positions and continues in another stream from the State. The
// records, the batches and the error at the end equal those of a stream without a stop.
func TestResume(t *testing.T) {
	stops := testkit.Rounds(120)
	if testkit.Long(t, "1,000 stops") {
		stops = 1000
	}
	r := rand.New(rand.NewPCG(17, 4))
	p, err := feature.NewParser(numberedSpec, &feature.ParserOptions{AliasRecords: true})
	if err != nil {
		t.Fatal(err)
	}
	parsers := []*feature.Parser{parser(t), p}
	for stops > 0 {
		fsys := shardFS(t, 40, 0, 150, 3, 90, 61, 200)
		o := randomOptions(r)
		if r.IntN(2) == 0 {
			fsys, o.SkipErrors = damagedFS(t, r), r.IntN(5) > 0
		}
		o.FS = fsys
		rowsOfBatch, parser := 1+r.IntN(50), parsers[r.IntN(2)]
		records := r.IntN(3) == 0
		open := func(ctx context.Context, o dataset.FilesOptions) consumer {
			f := dataset.NewFiles([]string{"f-*"}, &o)
			if records {
				return recordConsumer{f.Records(ctx)}
			}
			return batchConsumer{f.Batches(ctx, parser, rowsOfBatch)}
		}
		most := 1500 // limit for a stream that repeats without end
		if testing.Short() {
			most = 300
		}
		var want []string
		c := open(t.Context(), o)
		var end error
		for len(want) < most && end == nil {
			var s string
			if s, end = c.next(); end == nil {
				want = append(want, s)
			}
		}
		c.Close()

		begun := o
		ctx, cancel := context.WithCancel(t.Context())
		c = open(ctx, o)
		for i := 0; i <= len(want); {
			next := i + r.IntN(len(want)/3+2)
			for ; i < min(next, len(want)); i++ {
				if got, err := c.next(); err != nil || got != want[i] {
					t.Fatalf("%+v, records %v, %d rows: piece %d of %d is\n%v, %v, want\n%v", begun, records, rowsOfBatch, i, len(want), got, err, want[i])
				}
				if r.IntN(300) == 0 { // State does not change the stream
					if _, err := c.State(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if i == len(want) && len(want) < most {
				if _, err := c.next(); fmt.Sprint(err) != fmt.Sprint(end) {
					t.Fatalf("%+v: the end is %v, want %v", begun, err, end)
				}
			}
			if i == len(want) && (len(want) == most || r.IntN(2) == 0) {
				break
			}
			// Stop in one of three ways: after State, before State, or by the end of the context.
			switch r.IntN(3) {
			case 0:
				c.Close()
			case 1:
				cancel()
				for {
					got, err := c.next() // some batches may have been ready
					if err != nil {
						break
					}
					if got != want[i] {
						t.Fatalf("%+v: piece %d of %d is\n%v, want\n%v", begun, i, len(want), got, want[i])
					}
					i++
				}
			}
			s, err := c.State()
			if err != nil {
				t.Fatal(err)
			}
			c.Close()
			stops--
			o.Resume = remake(t, s)
			o.Workers, o.Prefetch, o.Budget = 1+r.IntN(4), r.IntN(4)-1, int64(r.IntN(2))*(2000+r.Int64N(20_000))
			cancel()
			ctx, cancel = context.WithCancel(t.Context())
			c = open(ctx, o)
			if i == len(want) {
				if _, err := c.next(); fmt.Sprint(err) != fmt.Sprint(end) {
					t.Fatalf("%+v: the end again is %v, want %v", begun, err, end)
				}
				break
			}
		}
		c.Close()
		cancel()
	}
}

// TestResumeRefused checks that a State is refused, with the reason, for other files, for other
// options, for a stream without order, and if it is not a State.
func TestResumeRefused(t *testing.T) {
	fsys := shardFS(t, 30, 40)
	o := dataset.FilesOptions{FS: fsys, Shuffle: 10, Seed: 5, Workers: 2}
	state := func(o dataset.FilesOptions) *dataset.State {
		r := dataset.NewFiles([]string{"f-*"}, &o).Records(t.Context())
		defer r.Close()
		for range 25 {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		s, err := r.State()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := state(o)
	const first, second = "f-00000-of-00002", "f-00001-of-00002"
	swapped := fstest.MapFS{first: fsys[second], second: fsys[first]}
	longer := fstest.MapFS{first: fsys[first], second: &fstest.MapFile{Data: append(bytes.Clone(fsys[second].Data), stream(t, tfrecord.None, []byte("x"))...)}}
	renamed := fstest.MapFS{"f-00000": fsys[first], "f-00001": fsys[second]}
	// Other records of the same size.
	other := []byte{}
	for len(other)+17+16 <= len(fsys[first].Data) {
		other = tfrecord.AppendRecord(other, []byte{1})
	}
	other = tfrecord.AppendRecord(other, make([]byte, len(fsys[first].Data)-16-len(other)))
	same := fstest.MapFS{first: &fstest.MapFile{Data: other}, second: fsys[second]}
	for _, c := range []struct {
		proves string
		change func(o *dataset.FilesOptions)
		want   string
	}{
		{"another seed", func(o *dataset.FilesOptions) { o.Seed++ }, "option Seed was 5, is 6"},
		{"another buffer", func(o *dataset.FilesOptions) { o.Shuffle = 0 }, "option Shuffle was 10, is 0"},
		{"a filter", func(o *dataset.FilesOptions) { o.Filter = func([]byte) (bool, error) { return true, nil } }, "option Filter was 0, is 1"},
		{"other epochs", func(o *dataset.FilesOptions) { o.Repeat = -1 }, "option Repeat was 1, is -1"},
		{"a part", func(o *dataset.FilesOptions) { o.Shard.Count = 2 }, "option Shard.Count was 1, is 2"},
		{"files in another order", func(o *dataset.FilesOptions) { o.FS = swapped }, "a file has another size"},
		{"a file that grew", func(o *dataset.FilesOptions) { o.FS = longer }, "a file has another size"},
		{"other names", func(o *dataset.FilesOptions) { o.FS = renamed }, "other names"},
		{"other records in files of the same size", func(o *dataset.FilesOptions) { o.FS = same }, "have other offsets"},
		{"nothing", func(o *dataset.FilesOptions) { o.Resume = new(dataset.State) }, "it is empty"},
	} {
		changed := o
		changed.Resume = s
		c.change(&changed)
		r := dataset.NewFiles([]string{"f-*"}, &changed).Records(t.Context())
		_, err := r.Next()
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, dataset.ErrState) && !errors.Is(err, dataset.ErrArgument) {
			t.Errorf("%s: %v, want %q", c.proves, err, c.want)
		}
		r.Close()
	}
	noLeak(t)
	for _, o := range []dataset.FilesOptions{{Stdin: bytes.NewReader(fsys[first].Data)}} {
		pattern := "f-*"
		if o.FS == nil {
			pattern = "-"
		}
		r := dataset.NewFiles([]string{pattern}, &o).Records(t.Context())
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if s, err := r.State(); s != nil || !errors.Is(err, dataset.ErrArgument) {
			t.Errorf("%+v: state %v, %v", o, s, err)
		}
		r.Close()
	}
	for _, text := range []string{``, `{}`, `{"version":2}`, `{"version":1,"ahead":"gA=="}`, `{"version":1,"under_way":{"shuffle_buffer":"!"}}`} {
		if err := json.Unmarshal([]byte(text), new(dataset.State)); err == nil {
			t.Errorf("%s is a state", text)
		}
	}
	global := dataset.FilesOptions{FS: fsys, GlobalShuffle: true, Seed: 5, Workers: 2}
	t.Run("hostile", func(t *testing.T) { hostileStates(t, o, s) })
	t.Run("hostile, GlobalShuffle", func(t *testing.T) { hostileStates(t, global, state(global)) })
	noLeak(t)
}

// hostileStates changes the numbers of a State: the result is an error, or a stream that ends.
func hostileStates(t *testing.T, o dataset.FilesOptions, s *dataset.State) {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(2, 2))
	number := regexp.MustCompile(`:-?[0-9]+`)
	for range testkit.Rounds(400) {
		begin := bytes.Index(text, []byte(`"epoch"`))
		hostile := number.ReplaceAllFunc(text[begin:], func(old []byte) []byte {
			if rnd.IntN(4) > 0 {
				return old
			}
			return fmt.Appendf(nil, ":%d", []int64{-3, -2, -1, 0, 1, 2, 1 << 40, math.MaxInt64, math.MinInt64}[rnd.IntN(9)])
		})
		changed := o
		changed.Resume = new(dataset.State)
		if err := json.Unmarshal(append(text[:begin:begin], hostile...), changed.Resume); err != nil {
			continue
		}
		r := dataset.NewFiles([]string{"f-*"}, &changed).Records(t.Context())
		for range r.All() {
		}
	}
}

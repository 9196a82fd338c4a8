package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/examplepb"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestDiffCounts compares the counts of diff, by position and by key, with those of protobuf-go's
// messages in slices and maps: random sets, divided into files at random, of random codecs, whose
// features protobuf-go writes in whatever order.
func TestDiffCounts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 8))
	rounds := 30
	if testkit.Long(t, "90 rounds") {
		rounds = 90
	}
	for range rounds {
		var sets [2][]*examplepb.Example
		n := r.IntN(30)
		for i := range sets {
			for k := range n {
				if r.IntN(10) > 0 {
					sets[i] = append(sets[i], keyedExample(r, int64(k)))
				}
			}
			if r.IntN(2) == 0 {
				r.Shuffle(len(sets[i]), func(a, b int) { sets[i][a], sets[i][b] = sets[i][b], sets[i][a] })
			}
		}
		a, b := writeSet(t, r, sets[0]), writeSet(t, r, sets[1])
		checkDiff(t, positionCounts(sets), a, b)
		checkDiff(t, keyCounts(sets), "--by", "id", a, b)
		checkDiff(t, keyCounts(sets), "--by", "id", "--memory", "1", "--jobs", "1", a, b)
	}
}

func keyedExample(r *rand.Rand, id int64) *examplepb.Example {
	ints := func(v ...int64) *examplepb.Feature {
		return &examplepb.Feature{Kind: &examplepb.Feature_Int64List{Int64List: &examplepb.Int64List{Value: v}}}
	}
	features := map[string]*examplepb.Feature{"id": ints(id - id%2*int64(r.IntN(2)))} // some twice
	for i := range 6 {
		features[fmt.Sprint("f", i)] = ints(int64(i), 1000)
	}
	if r.IntN(5) == 0 {
		features["f3"] = ints(int64(r.IntN(3)))
	}
	return &examplepb.Example{Features: &examplepb.Features{Feature: features}}
}

// writeSet writes records to one to three files, and returns their directory.
func writeSet(t *testing.T, r *rand.Rand, set []*examplepb.Example) string {
	dir := t.TempDir()
	files := 1 + r.IntN(3)
	for i := range files {
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(i, ".tfrecord")))
		if err != nil {
			t.Fatal(err)
		}
		all := tfrecord.Compressions()
		w := tfrecord.NewWriter(f, &tfrecord.WriterOptions{Compression: all[r.IntN(len(all))]})
		for _, e := range set[i*len(set)/files : (i+1)*len(set)/files] {
			b, err := proto.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.WriteRecord(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type diffCounts struct{ A, B, Same, Changed, Only_a, Only_b int }

func positionCounts(sets [2][]*examplepb.Example) diffCounts {
	c := diffCounts{A: len(sets[0]), B: len(sets[1])}
	for i := range min(c.A, c.B) {
		if proto.Equal(sets[0][i], sets[1][i]) {
			c.Same++
		} else {
			c.Changed++
		}
	}
	c.Only_a, c.Only_b = max(c.A-c.B, 0), max(c.B-c.A, 0)
	return c
}

func keyCounts(sets [2][]*examplepb.Example) diffCounts {
	c := diffCounts{A: len(sets[0]), B: len(sets[1])}
	left := map[int64]*[2]int{}
	taken := map[int]bool{}
	id := func(e *examplepb.Example) *[2]int {
		key := e.GetFeatures().GetFeature()["id"].GetInt64List().GetValue()[0]
		if left[key] == nil {
			left[key] = &[2]int{}
		}
		return left[key]
	}
	for _, b := range sets[1] {
		id(b)[1]++
	}
	for _, a := range sets[0] {
		id(a)[0]++
		for i, b := range sets[1] {
			if !taken[i] && proto.Equal(a, b) {
				taken[i] = true
				c.Same++
				id(a)[0]--
				id(a)[1]--
				break
			}
		}
	}
	for _, n := range left {
		pairs := min(n[0], n[1])
		c.Changed += pairs
		c.Only_a += n[0] - pairs
		c.Only_b += n[1] - pairs
	}
	return c
}

func checkDiff(t *testing.T, want diffCounts, args ...string) {
	t.Helper()
	code, stdout, stderr := runWith(t, nil, append([]string{"diff", "--format", "json", "--limit", "5"}, args...)...)
	wantCode := 0
	if want.Changed+want.Only_a+want.Only_b > 0 {
		wantCode = 1
	}
	var got struct {
		Counts      diffCounts
		Differences []any
		Same        bool
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != wantCode || got.Counts != want || got.Same != (wantCode == 0) {
		t.Fatalf("%q: exit code %d, %+v, %v; want %d, %+v; stderr: %s", args, code, got.Counts, err, wantCode, want, stderr)
	}
	if n := min(5, want.Changed+want.Only_a+want.Only_b); len(got.Differences) != n {
		t.Fatalf("%q: %d differences are printed, want %d", args, len(got.Differences), n)
	}
}

// TestDiffKeySums compares the sums of features by key with those of protobuf-go's messages in a map:
// they cover all records that changed, not those that are printed, in any memory.
func TestDiffKeySums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for range 6 {
		var sets [2][]*examplepb.Example
		n := 50 + r.IntN(300)
		for i := range sets {
			for id := range n {
				if r.IntN(10) == 0 {
					continue
				}
				e := keyedExample(r, int64(2*id)) // an even one is its own key
				if r.IntN(4) == 0 {
					delete(e.Features.Feature, fmt.Sprint("f", r.IntN(6)))
				}
				sets[i] = append(sets[i], e)
			}
			r.Shuffle(len(sets[i]), func(a, b int) { sets[i][a], sets[i][b] = sets[i][b], sets[i][a] })
		}
		type counts struct{ Changed, Only_a, Only_b int }
		want := map[string]counts{}
		inB := map[int64]map[string]*examplepb.Feature{}
		for _, b := range sets[1] {
			f := b.GetFeatures().GetFeature()
			inB[f["id"].GetInt64List().GetValue()[0]] = f
		}
		for _, a := range sets[0] {
			fa := a.GetFeatures().GetFeature()
			fb := inB[fa["id"].GetInt64List().GetValue()[0]]
			for k := 0; k < 6 && fb != nil; k++ {
				name := fmt.Sprint("f", k)
				c := want[name]
				switch {
				case fa[name] == nil && fb[name] != nil:
					c.Only_b++
				case fa[name] != nil && fb[name] == nil:
					c.Only_a++
				case !proto.Equal(fa[name], fb[name]):
					c.Changed++
				}
				if c != (counts{}) {
					want[name] = c
				}
			}
		}
		a, b := writeSet(t, r, sets[0]), writeSet(t, r, sets[1])
		for _, memory := range []string{"1", "256MiB"} {
			_, stdout, stderr := runWith(t, nil, "diff", "--by", "id", "--format", "json", "--limit", "3", "--memory", memory, a, b)
			var report struct {
				Features []struct {
					Name string
					counts
				}
			}
			if err := json.Unmarshal([]byte(stdout), &report); err != nil {
				t.Fatalf("%v; %s", err, stderr)
			}
			got := map[string]counts{}
			for _, f := range report.Features {
				got[f.Name] = f.counts
			}
			if !maps.Equal(got, want) {
				t.Fatalf("--memory %s, %d and %d records: sums %v, want %v", memory, len(sets[0]), len(sets[1]), got, want)
			}
		}
	}
}

// TestDiffManyOfKey: what the sums leave out of a key with very many records is counted.
func TestDiffManyOfKey(t *testing.T) {
	var names [2]string
	for side := range names {
		var data []byte
		for i := range 3000 {
			e := &examplepb.Example{Features: &examplepb.Features{Feature: map[string]*examplepb.Feature{}}}
			for name, v := range map[string]int64{"id": 1, "v": int64(2*i + side)} {
				e.Features.Feature[name] = &examplepb.Feature{Kind: &examplepb.Feature_Int64List{Int64List: &examplepb.Int64List{Value: []int64{v}}}}
			}
			rec, err := proto.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			data = tfrecord.AppendRecord(data, rec)
		}
		names[side] = filepath.Join(t.TempDir(), "x.tfrecord")
		if err := os.WriteFile(names[side], data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, stdout, stderr := runWith(t, nil, "diff", "--by", "id", "--limit", "1", names[0], names[1])
	for _, want := range []string{"0 same, 3000 changed, 0 only in A", "v        1024     0          0", "(over 1024 records per key): 1976 changed records"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s%s", want, stdout, stderr)
		}
	}
}

// TestDiffLevels has a record in two encodings that mean the same: they differ as records only.
func TestDiffLevels(t *testing.T) {
	a, b := []byte("\n\x06\x0a\x01a\x12\x00"), []byte("\n\x06\x0a\x01b\x12\x05\x1a\x03\n\x01\x07")
	a, b = append([]byte("\n\x05"), a[2:]...), append([]byte("\n\x0a"), b[2:]...)
	id := []byte("\n\x0c\n\x02id\x12\x06\x1a\x04\n\x02\x96\x01")
	var names [2]string
	for i, entries := range [2][][]byte{{a, b, id}, {id, b, a}} {
		var body []byte
		for _, e := range entries {
			body = append(body, e...)
		}
		names[i] = filepath.Join(t.TempDir(), "x.tfrecord")
		var file bytes.Buffer
		w := tfrecord.NewWriter(&file, nil)
		if err := w.WriteRecord(append([]byte{0x0a, byte(len(body))}, body...)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(names[i], file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		want int
		args []string
	}{
		{0, nil},
		{0, []string{"--by", "id"}},
		{1, []string{"--fail-on", "records"}},
		{1, []string{"--fail-on", "records", "--by", "id"}},
		{1, []string{"--fail-on", "container"}},
	} {
		args := append(append([]string{"diff"}, c.args...), names[:]...)
		if code, stdout, stderr := runWith(t, nil, args...); code != c.want {
			t.Errorf("%q: exit code %d, want %d\n%s%s", args, code, c.want, stdout, stderr)
		}
	}
}

// TestDiffPipe proves that diff does not wait for a pipe that nothing is written to, once the
// other side is unreadable.
func TestDiffPipe(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("<html>no records</html>"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	defer w.Close()
	done := make(chan int, 1)
	go func() { done <- runCommand([]string{"diff", bad, "-"}, r, io.Discard, io.Discard) }()
	select {
	case code := <-done:
		if code != 4 {
			t.Errorf("exit code %d, want 4", code)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for standard input")
	}
}

package dataset_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/dataset"
)

// A tensorflowCase has the result of tf.data for some files, made by testdata/make/dataset.py.
type tensorflowCase struct {
	Counts     []int      `json:"counts"`
	Batch      int        `json:"batch"`
	Interleave int        `json:"interleave"`
	Shards     int        `json:"shards"`
	Index      int        `json:"index"`
	ByRecord   bool       `json:"by_record"`
	Skip       int64      `json:"skip"`
	Take       int64      `json:"take"`
	Shuffle    int        `json:"shuffle"`
	Repeat     int64      `json:"repeat"`
	Drop       bool       `json:"drop_remainder"`
	Rows       [][]string `json:"rows"`
	Epochs     *epochs    `json:"epochs"`
}

type epochs struct {
	Passes       int  `json:"passes"`
	Complete     bool `json:"complete"`
	Reshuffled   bool `json:"reshuffled"`
	WithinBuffer bool `json:"within_buffer"`
}

func TestTensorFlow(t *testing.T) {
	f, err := os.Open("../testdata/dataset.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := parser(t)
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var c tensorflowCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		files := dataset.NewFiles([]string{fmt.Sprintf("f@%d", len(c.Counts))}, &dataset.FilesOptions{
			FS: shardFS(t, c.Counts...), Interleave: c.Interleave, Shard: dataset.Shard{Index: c.Index, Count: c.Shards, ByRecord: c.ByRecord},
			Skip: c.Skip, Take: c.Take, Shuffle: c.Shuffle, Repeat: c.Repeat, DropRemainder: c.Drop,
		})
		got, err := rowsOf(files.Batches(t.Context(), p, cmp.Or(c.Batch, 1)))
		if err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		if c.Epochs != nil {
			if e := epochsOf(strings.Split(got, "|"), c); e != *c.Epochs {
				t.Errorf("%s:\n got %+v\nwant %+v", lines.Bytes(), e, *c.Epochs)
			}
			continue
		}
		var want []string
		for _, b := range c.Rows {
			want = append(want, strings.Join(b, " "))
		}
		if w := strings.Join(want, "|"); got != w {
			t.Errorf("%s:\n got %s\nwant %s", lines.Bytes(), got, w)
		}
	}
	if n < 90 {
		t.Errorf("%d cases only", n)
	}
}

// epochsOf returns properties of an order that do not depend on the seed.
func epochsOf(got []string, c tensorflowCase) epochs {
	var plain []string
	for f, n := range c.Counts {
		for r := range n {
			plain = append(plain, fmt.Sprintf("%d/%d", f, r))
		}
	}
	sorted := slices.Sorted(slices.Values(plain))
	e := epochs{Complete: true, WithinBuffer: true}
	orders := map[string]bool{}
	for pass := range slices.Chunk(got, len(plain)) {
		e.Passes++
		e.Complete = e.Complete && slices.Equal(slices.Sorted(slices.Values(pass)), sorted)
		orders[strings.Join(pass, " ")] = true
		for i, r := range pass {
			e.WithinBuffer = e.WithinBuffer && slices.Index(plain, r) < i+c.Shuffle
		}
	}
	e.Reshuffled = len(orders) == e.Passes
	return e
}

package tfds_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/tfparse/tfparse/feature/tfds"
)

// TestSelect compares slices with what TensorFlow Datasets selects: the table has its results and errors.
func TestSelect(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(read(t, testdata+"/slices.jsonl")))
	cases, selected := 0, 0
	for {
		var c struct {
			Splits [][2]json.RawMessage
			Slice  string
			Files  *[][4]any
			Error  string
		}
		if err := d.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		var splits []map[string]any
		for _, s := range c.Splits {
			splits = append(splits, map[string]any{"name": s[0], "shardLengths": s[1]})
		}
		text, err := json.Marshal(map[string]any{"name": "d", "splits": splits})
		if err != nil {
			t.Fatal(err)
		}
		info, err := tfds.ParseInfo(text)
		if err != nil {
			t.Fatal(err)
		}
		ranges, err := info.Select(c.Slice)
		cases++
		reversed := c.Files != nil && err != nil && bytes.Contains([]byte(err.Error()), []byte("is after end"))
		switch {
		case c.Files == nil && err == nil:
			t.Errorf("%s: %q: no error; TensorFlow Datasets has %s", text, c.Slice, c.Error)
		case c.Files == nil || reversed: // TensorFlow Datasets makes nothing of a reversed slice, or a negative number of records
		case err != nil:
			t.Errorf("%s: %q: %v", text, c.Slice, err)
		default:
			got := [][4]any{}
			for _, r := range ranges {
				got = append(got, [4]any{r.Split.Name, r.Shard, r.First, r.End})
			}
			if g, w := fmt.Sprint(got), fmt.Sprint(*c.Files); g != w {
				t.Errorf("%s: %q:\n got %s\nwant %s", text, c.Slice, g, w)
			}
			selected++
		}
	}
	if cases < 600 || selected < 250 {
		t.Errorf("%d cases, %d select records", cases, selected)
	}
}

package feature_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// rankingSpec reads testdata/ranking.tfrecord.
var rankingSpec = feature.Spec{
	Context: feature.Features{"query": feature.VarLen{DType: feature.String}, "shown": feature.FixedLen{DType: feature.Int64}},
	Examples: feature.Features{
		"score":   feature.FixedLen{DType: feature.Float32},
		"clicked": feature.FixedLen{DType: feature.Int64},
		"page":    feature.FixedLen{DType: feature.String},
	},
}

// TestRankingFile parses the file that TensorFlow wrote, and compares it with the text of its messages in another
// file.
func TestRankingFile(t *testing.T) {
	r, err := tfrecord.Open("../testdata/ranking.tfrecord", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := parser(t, rankingSpec).NewBatch()
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("../testdata/ranking.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if b.Len() != len(lines) {
		t.Fatalf("%d rows, want %d", b.Len(), len(lines))
	}
	for i, line := range lines {
		var want struct {
			Context struct {
				Query []string
				Shown []int64
			}
			Examples []struct {
				Score   []float32
				Clicked []int64
				Page    []string
			}
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		row := b.Row(i)
		query, _ := feature.ColumnOf[string](row, "query")
		shown, _ := feature.ColumnOf[int64](row, "shown")
		score, _ := feature.ColumnOf[float32](row, "score")
		clicked, _ := feature.ColumnOf[int64](row, "clicked")
		page, _ := feature.ColumnOf[string](row, "page")
		if !slices.Equal(query.Values(), want.Context.Query) || !slices.Equal(shown.Values(), want.Context.Shown) || score.Len() != len(want.Examples) {
			t.Errorf("row %d: %v %v and %d examples, want %s", i, query.Values(), shown.Values(), score.Len(), line)
			continue
		}
		for j, e := range want.Examples {
			if score.Row(j).Item() != e.Score[0] || clicked.Row(j).Item() != e.Clicked[0] || page.Row(j).Item() != e.Page[0] {
				t.Errorf("row %d, example %d: %v %v %v, want %v", i, j, score.Row(j).Item(), clicked.Row(j).Item(), page.Row(j).Item(), e)
			}
		}
	}
	roundTrip(t, b)
}

// TestSharedRanking parses the files of a published ranking dataset, if they exist, with every feature that they
// have.
func TestSharedRanking(t *testing.T) {
	names, err := filepath.Glob("../../shared/data/ranking/*.tfrecord")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skip("../shared/data is not there")
	}
	for _, name := range names {
		r, err := tfrecord.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		spec := feature.Spec{Context: feature.Features{}, Examples: feature.Features{}}
		var records [][]byte
		values, examples := 0, 0
		count := func(fs feature.Features, e example.Example) {
			for name, v := range e {
				values += v.Len()
				fs[name] = map[example.Kind]feature.Feature{
					example.BytesList: feature.VarLen{DType: feature.String}, example.FloatList: feature.VarLen{DType: feature.Float32}, example.Int64List: feature.VarLen{DType: feature.Int64},
				}[v.Kind()]
			}
		}
		for record, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, slices.Clone(record))
			var l example.ExampleList
			if err := l.UnmarshalBinary(record); err != nil {
				t.Fatal(err)
			}
			count(spec.Context, l.Context)
			for _, e := range l.Examples {
				count(spec.Examples, e)
			}
			examples += len(l.Examples)
		}
		r.Close()
		b := agree(t, spec, records)
		got := 0
		for _, c := range b.Columns().All() {
			switch c.DType() {
			case feature.Int64:
				x, _ := feature.TensorOf[int64](c)
				got += x.Size()
			case feature.Float32:
				x, _ := feature.TensorOf[float32](c)
				got += x.Size()
			case feature.String:
				x, _ := feature.TensorOf[string](c)
				got += x.Size()
			}
		}
		if b.Len() != len(records) || len(records) == 0 || got != values {
			t.Errorf("%s: %d rows with %d values, want %d with %d", filepath.Base(name), b.Len(), got, len(records), values)
		}
		t.Logf("%s: %d records, %d examples, %d features, %d values", filepath.Base(name), len(records), examples, len(spec.Context)+len(spec.Examples), got)
	}
}

package infer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// A plantedSet makes records with ragged columns of known structure, and other features that only look like
// partitions.
type plantedSet struct {
	*rand.Rand
	makers []func(example.Example)
	pairs  map[string]bool // all pairs that may be found, in the form of pairText
	names  int
}

func newPlantedSet(seed uint64) *plantedSet {
	s := &plantedSet{Rand: rand.New(rand.NewPCG(seed, 25)), pairs: map[string]bool{}}
	for range 1 + s.IntN(3) {
		s.plant()
	}
	decoys := []func(*plantedSet){(*plantedSet).bert, (*plantedSet).paddedBert, (*plantedSet).clicks, (*plantedSet).multiHot, (*plantedSet).timestamps, (*plantedSet).sentences, (*plantedSet).spans}
	for range 1 + s.IntN(3) {
		decoys[s.IntN(len(decoys))](s)
	}
	s.Shuffle(len(s.makers), func(i, j int) { s.makers[i], s.makers[j] = s.makers[j], s.makers[i] })
	return s
}

func (s *plantedSet) record() example.Example {
	e := example.Example{}
	for _, m := range s.makers {
		m(e)
	}
	return e
}

// name returns the given name, or one without meaning.
func (s *plantedSet) name(prefix string, anonymous bool, name string) string {
	if s.names++; anonymous {
		return fmt.Sprintf("f%c%c", 'a'+s.names/26, 'a'+s.names%26)
	}
	return prefix + name
}

var encodingWords = []string{"splits", "lengths", "limits", "starts", "row_ids"}

func partitionOf(encoding int, key string) feature.Partition {
	return []feature.Partition{feature.RowSplits(key), feature.RowLengths(key), feature.RowLimits(key), feature.RowStarts(key), feature.ValueRowIDs(key)}[encoding]
}

// encodeRows encodes the lengths of rows in one of the encodings.
func encodeRows(encoding int, rows []int) []int64 {
	out := []int64{}
	if encoding == 0 {
		out = append(out, 0)
	}
	end := int64(0)
	for i, n := range rows {
		start := end
		end += int64(n)
		switch encoding {
		case 0, 2:
			out = append(out, end)
		case 1:
			out = append(out, int64(n))
		case 3:
			out = append(out, start)
		case 4:
			out = append(out, slices.Repeat([]int64{int64(i)}, n)...)
		}
	}
	return out
}

func pairText(p, rows feature.Partition, of string, block int64) string {
	return fmt.Sprintf("%T %[1]v of %q, rows %T, by %d", p, of, rows, block)
}

// plant adds one or two ragged columns of one structure.
func (s *plantedSet) plant() {
	anonymous := s.IntN(3) == 0
	prefix := fmt.Sprintf("doc%c", 'a'+s.names)
	levels := 1 + s.IntN(3)
	encodings, keys := make([]int, levels), make([]string, levels)
	for i := range levels {
		encodings[i] = s.IntN(5)
		keys[i] = s.name(prefix, anonymous, fmt.Sprintf("/level%c_%s", 'x'+i, encodingWords[encodings[i]]))
	}
	block := 1
	if s.IntN(4) == 0 {
		block = 2 + s.IntN(3)
	}
	columns := []string{s.name(prefix, anonymous, "/words")}
	if s.IntN(3) == 0 {
		columns = append(columns, s.name(prefix, anonymous, "/ids"))
	}
	for i := range levels {
		p := partitionOf(encodings[i], keys[i])
		if i+1 < levels {
			s.pairs[pairText(p, partitionOf(encodings[i+1], keys[i+1]), keys[i+1], 1)] = true
			continue
		}
		for _, c := range columns {
			s.pairs[pairText(p, nil, c, int64(block))] = true
		}
	}
	most, empty := 2+s.IntN(6), s.IntN(3) > 0 // maximal number of items in a row, and whether rows may be empty
	row := func(last bool, encoding int) int {
		if !empty || last && encoding == 4 { // row IDs cannot represent empty last rows
			return 1 + s.IntN(most)
		}
		return s.IntN(most + 1)
	}
	s.makers = append(s.makers, func(e example.Example) {
		n := s.IntN(6)
		for i := range levels {
			rows := make([]int, n)
			n = 0
			for k := range rows {
				rows[k] = row(k == len(rows)-1, encodings[i])
				n += rows[k]
			}
			e[keys[i]] = example.Int64s(encodeRows(encodings[i], rows)...)
		}
		for i, c := range columns {
			if n *= block; i == 0 {
				e[c] = words(n)
			} else {
				n /= block
				e[c] = s.random(n, 5000)
			}
		}
	})
}

// random makes n numbers below most.
func (s *plantedSet) random(n int, most int64) example.Value {
	return example.Int64s(values(n, func(int) int64 { return s.Int64N(most) })...)
}

// sorted makes n ascending numbers.
func (s *plantedSet) sorted(n int, first, step int64) []int64 {
	out := values(n, func(i int) int64 {
		if i > 0 {
			first += s.Int64N(step + 1)
		}
		return first
	})
	return out
}

// bert has token IDs with a mask of ones, and token types of zeros or of two sentences.
func (s *plantedSet) bert() {
	prefix, anonymous, pairs, positions := fmt.Sprintf("text%d_", s.names), s.IntN(4) == 0, s.IntN(2) == 0, s.IntN(2) == 0
	ids, mask := s.name(prefix, anonymous, "input_ids"), s.name(prefix, anonymous, "attention_mask")
	types, at := s.name(prefix, anonymous, []string{"token_type_ids", "segment_ids"}[s.IntN(2)]), s.name(prefix, anonymous, "position_ids")
	least, most := 3+s.IntN(10), 20+s.IntN(100)
	s.makers = append(s.makers, func(e example.Example) {
		n := least + s.IntN(most)
		e[ids] = s.random(n, 30000)
		e[mask] = example.Int64s(slices.Repeat([]int64{1}, n)...)
		kinds := make([]int64, n)
		for i := 1 + s.IntN(n); pairs && i < n; i++ {
			kinds[i] = 1
		}
		e[types] = example.Int64s(kinds...)
		if positions {
			e[at] = example.Int64s(values(n, func(i int) int64 { return int64(i) })...)
		}
	})
}

// paddedBert is the same with padding and predicted tokens.
func (s *plantedSet) paddedBert() {
	prefix, anonymous, size := fmt.Sprintf("padded%d_", s.names), s.IntN(4) == 0, 32+s.IntN(32)
	ids, mask, types := s.name(prefix, anonymous, "input_ids"), s.name(prefix, anonymous, "input_mask"), s.name(prefix, anonymous, "segment_ids")
	tokens, at := s.name(prefix, anonymous, "tokens"), s.name(prefix, anonymous, "masked_lm_positions")
	s.makers = append(s.makers, func(e example.Example) {
		n := 4 + s.IntN(size-4)
		v, m, k := make([]int64, size), make([]int64, size), make([]int64, size)
		second := s.IntN(n)
		for i := range n {
			v[i], m[i] = s.Int64N(30000), 1
			if i >= second {
				k[i] = 1
			}
		}
		e[ids], e[mask], e[types], e[tokens] = example.Int64s(v...), example.Int64s(m...), example.Int64s(k...), words(n)
		var masked []int64
		for i := range int64(n) {
			if s.IntN(6) == 0 {
				masked = append(masked, i)
			}
		}
		e[at] = example.Int64s(masked...)
	})
}

// clicks has the clicks on impressions: indices, positions and times.
func (s *plantedSet) clicks() {
	prefix, anonymous := fmt.Sprintf("session%d/", s.names), s.IntN(4) == 0
	items, clicked := s.name(prefix, anonymous, "items"), s.name(prefix, anonymous, "clicks")
	at, chosen, sofar := s.name(prefix, anonymous, "click_positions"), s.name(prefix, anonymous, "clicked_items"), s.name(prefix, anonymous, "clicks_so_far")
	count, rank, first := s.name(prefix, anonymous, "num_clicks"), s.name(prefix, anonymous, "rank"), s.IntN(2) == 0
	s.makers = append(s.makers, func(e example.Example) {
		n := 1 + s.IntN(20)
		flags, where, sum := make([]int64, n), []int64{}, make([]int64, n)
		for i := range flags {
			if s.IntN(3) == 0 || first && i == 0 {
				flags[i], where = 1, append(where, int64(i))
			}
			sum[i] = int64(len(where))
		}
		e[items], e[clicked], e[at], e[chosen] = s.random(n, 1e6), example.Int64s(flags...), example.Int64s(where...), words(len(where))
		e[sofar], e[count] = example.Int64s(sum...), example.Int64s(int64(len(where)))
		e[rank] = example.Int64s(values(n, func(i int) int64 { return int64(i + 1) })...)
	})
}

// multiHot has labels in two forms: zeros and ones, and names.
func (s *plantedSet) multiHot() {
	prefix, anonymous, size := fmt.Sprintf("image%d/", s.names), s.IntN(4) == 0, s.IntN(2)*(5+s.IntN(20))
	hot, labels, one, classes := s.name(prefix, anonymous, "multi_hot"), s.name(prefix, anonymous, "labels"), s.name(prefix, anonymous, "one_hot"), s.name(prefix, anonymous, "classes")
	s.makers = append(s.makers, func(e example.Example) {
		n := size
		if n == 0 {
			n = 2 + s.IntN(12)
		}
		h, o, sum := make([]int64, n), make([]int64, n), 0
		for i := range h {
			h[i] = s.Int64N(2)
			sum += int(h[i])
		}
		o[s.IntN(n)] = 1
		e[hot], e[labels], e[one], e[classes] = example.Int64s(h...), words(sum), example.Int64s(o...), words(n)
	})
}

// timestamps has times of events: clock times, times since the first event, intervals, and hours.
func (s *plantedSet) timestamps() {
	prefix, anonymous, step := fmt.Sprintf("events%d/", s.names), s.IntN(4) == 0, int64(1)<<s.IntN(12)
	clock, since, deltas := s.name(prefix, anonymous, "timestamps"), s.name(prefix, anonymous, "start"), s.name(prefix, anonymous, "deltas")
	kind, hours, day := s.name(prefix, anonymous, "type"), s.name(prefix, anonymous, "hours"), s.name(prefix, anonymous, "hourly")
	least := s.IntN(3)
	s.makers = append(s.makers, func(e example.Example) {
		n := least + s.IntN(12)
		e[clock], e[since] = example.Int64s(s.sorted(n, 1.7e9, 60)...), example.Int64s(s.sorted(n, 0, step)...)
		e[deltas], e[kind] = s.random(n, step+1), words(n)
		h := s.sorted(n, 0, 4)
		for i := range h {
			h[i] = min(h[i], 23)
		}
		e[hours], e[day] = example.Int64s(h...), example.Floats(make([]float32, 24+s.IntN(24))...)
	})
}

// sentences has sentences that are numbered from one, and for each token the number of its sentence.
func (s *plantedSet) sentences() {
	prefix, anonymous := fmt.Sprintf("story%d/", s.names), s.IntN(4) == 0
	sentences, of, zeros, years := s.name(prefix, anonymous, "sentences"), s.name(prefix, anonymous, "sentence_of_token"), s.name(prefix, anonymous, "zeros"), s.name(prefix, anonymous, "years")
	s.makers = append(s.makers, func(e example.Example) {
		n := 1 + s.IntN(6)
		var ids []int64
		for i := range n {
			ids = append(ids, slices.Repeat([]int64{int64(i + 1)}, 1+s.IntN(7))...)
		}
		e[sentences], e[of], e[zeros] = words(n), example.Int64s(ids...), example.Int64s(0, 0)
		e[years] = example.Int64s(s.sorted(s.IntN(5), 1990, 10)...)
	})
}

// spans has lists of fixed size in which one number is the number of tokens.
func (s *plantedSet) spans() {
	prefix, anonymous, width := fmt.Sprintf("span%d/", s.names), s.IntN(4) == 0, 1+s.Int64N(9)
	tokens, crop, shape := s.name(prefix, anonymous, "tokens"), s.name(prefix, anonymous, "crop"), s.name(prefix, anonymous, "shape")
	answer, box, pixels, image := s.name(prefix, anonymous, "answer"), s.name(prefix, anonymous, "box"), s.name(prefix, anonymous, "pixels"), s.name(prefix, anonymous, "image")
	s.makers = append(s.makers, func(e example.Example) {
		n := 1 + s.Int64N(59)
		e[tokens], e[crop], e[shape] = s.random(int(n), 30000), example.Int64s(0, n), example.Int64s(n, 0)
		e[answer], e[box] = example.Int64s(s.Int64N(n+1), n), example.Int64s(0, 0, width, n)
		e[pixels], e[image] = s.random(int(n*width), 256), example.Int64s(width, n)
	})
}

// TestPlanted infers planted structure among other features, in sets of at least 1,000 records. It must find only
// planted pairs. The output says how many of the planted pairs it found: in 900 sets all pairs with names such as
// "doc/splits", and 46% of those with names without meaning. Without such names row_starts and value_row_ids, and
// partitions of their rows, are only reported; of the other encodings 76 to 82% are found.
func TestPlanted(t *testing.T) {
	sets, long := uint64(12), testkit.Long(t, "150 sets of 1,000 to 1,500 records")
	if long {
		sets = 150
	}
	planted, found := map[string]int{}, map[string]int{}
	for seed := range sets {
		s := newPlantedSet(seed)
		n := 1000
		if long {
			n += s.IntN(501)
		}
		in := infer.New(example.TypeExample, nil)
		var b []byte
		var err error
		for range n {
			if b, err = s.record().AppendBinary(b[:0]); err == nil {
				err = in.Add(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		report := in.Report()
		got := map[string]bool{}
		for _, p := range report.Pairs {
			if !p.Chosen {
				continue
			}
			text := pairText(p.Partition, p.Rows, p.Of, p.Block)
			if got[text] = true; !s.pairs[text] {
				t.Errorf("seed %d, %d records: not planted: %s", seed, n, text)
			}
		}
		for text := range s.pairs {
			encoding := text[:1]
			fmt.Sscanf(text, "feature.%s", &encoding)
			names := "by names that say nothing"
			if strings.Contains(text, "doc") {
				names = "by names"
			}
			for _, k := range []string{encoding + " " + names, names, "all pairs"} {
				if planted[k]++; got[text] {
					found[k]++
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(planted)) {
		t.Logf("%s: %d planted, %d found, %.1f%%", k, planted[k], found[k], 100*float64(found[k])/float64(planted[k]))
	}
}

package tfds

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A ShardRange is a range of records of a shard.
type ShardRange struct {
	Split *Split
	Shard int   // index in Split.Files
	First int64 // ordinal of the first record
	End   int64 // ordinal after the last record; -1 for a whole shard with an unknown number of records
}

// Whole reports whether the range has all records of the shard.
func (r ShardRange) Whole() bool {
	return r.First == 0 && (r.End < 0 || r.End == r.Split.Records[r.Shard])
}

// Select returns the records of a slice, in the order of TensorFlow Datasets. A slice has the grammar of its ReadInstruction:
//
//	train            a split
//	all              all splits, in the order of dataset_info.json
//	train[10:20]     records by ordinal; train[:10], train[-5:]
//	train[:10%]      a percentage, rounded to the closest ordinal; train[33.3%:66.6%]
//	train[3shard]    one shard; train[:2shard], train[-1shard:]
//	train[:50]+test  one slice after another
//
// A slice of a split needs Split.Records. A slice that starts after its end is an error.
func (info *Info) Select(slice string) ([]ShardRange, error) {
	var all []ShardRange
	parts := additionSeparator.Split(slice, -1)
	if info.split(slice) != nil {
		parts = []string{slice} // the name of a split may have a +
	}
	for _, part := range parts {
		part = strings.TrimSuffix(part, "\n") // as "$" in the regular expression of TensorFlow Datasets
		name, selector, selects := strings.Cut(part, "[")
		split := info.split(name)
		switch {
		case split == nil && part == "all":
			for i := range info.Splits {
				all = info.Splits[i].appendRange(all, 0, math.MaxInt64)
			}
			continue
		case split == nil && name == "all":
			return nil, fmt.Errorf("tfds: split all cannot be sliced: %q", part)
		case len(info.Splits) == 0:
			return nil, fmt.Errorf("tfds: unknown split %q: the data set has no splits", name)
		case split == nil:
			return nil, fmt.Errorf("tfds: unknown split %q, want one of %s", name, strings.Join(info.splitNames(), ", "))
		}
		first, end := int64(0), int64(math.MaxInt64)
		if selects {
			var err error
			if first, end, err = split.bounds(selector); err != nil {
				return nil, fmt.Errorf("tfds: slice %q: %w", part, err)
			}
		}
		all = split.appendRange(all, first, end)
	}
	return all, nil
}

var additionSeparator = regexp.MustCompile(`\s*\+\s*`)

func (info *Info) split(name string) *Split {
	i := slices.IndexFunc(info.Splits, func(s Split) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &info.Splits[i]
}

func (info *Info) splitNames() (names []string) {
	for _, s := range info.Splits {
		names = append(names, s.Name)
	}
	return names
}

// appendRange appends the ranges of the records [first, end) of a split, one for each shard with some of them. If the numbers
// of records are unknown it appends all shards.
func (s *Split) appendRange(all []ShardRange, first, end int64) []ShardRange {
	if s.Records == nil {
		for i := range s.Files {
			all = append(all, ShardRange{s, i, 0, -1})
		}
		return all
	}
	begin := int64(0) // ordinal of the first record of the shard
	for i, n := range s.Records {
		if r := (ShardRange{s, i, max(first-begin, 0), min(end-begin, n)}); r.First < r.End {
			all = append(all, r)
		}
		begin += n
	}
	return all
}

// sliceBound matches one bound of a slice: a number with its unit, or nothing.
var sliceBound = regexp.MustCompile(`^(?:(-?[\d_.]+)(%|shard)?)?$`)

// bounds returns the range of ordinals of a selector, such as "10:20]".
func (s *Split) bounds(selector string) (first, end int64, err error) {
	selector, closed := strings.CutSuffix(selector, "]")
	texts := strings.Split(selector, ":")
	var numbers, units [2]string
	for i, text := range texts {
		m := sliceBound.FindStringSubmatch(text)
		if m == nil || i > 1 {
			return 0, 0, errSlice
		}
		numbers[i], units[i] = m[1], m[2]
	}
	unit := units[0]
	if unit == "" {
		unit = units[1]
	}
	single := len(texts) == 1
	switch {
	case !closed || numbers[0]+numbers[1] == "":
		return 0, 0, errSlice
	case single && unit != "shard":
		return 0, 0, fmt.Errorf("want a range, such as [:10], or one shard, such as [3shard]")
	case s.Records == nil:
		return 0, 0, fmt.Errorf("the shards have unknown numbers of records")
	}
	if unit == "%" {
		first, end, err = s.percentages(numbers)
	} else {
		first, end, err = s.ordinals(numbers, unit == "shard", single)
	}
	switch {
	case err != nil:
		return 0, 0, err
	case max(first, -first) > s.Total || max(end, -end) > s.Total:
		return 0, 0, fmt.Errorf("the split has %d records", s.Total)
	}
	if first < 0 {
		first += s.Total
	}
	if end < 0 {
		end += s.Total
	}
	if first > end {
		return 0, 0, fmt.Errorf("start %d is after end %d", first, end)
	}
	return first, end, nil
}

var errSlice = fmt.Errorf("want a range, such as [10:20], [:10%%] or [2shard]")

// percentages returns the ordinals of two percentages. An empty text is the beginning or the end of the split.
func (s *Split) percentages(numbers [2]string) (first, end int64, err error) {
	bounds := [2]int64{0, s.Total}
	for i, text := range numbers {
		if text == "" {
			continue
		}
		f, err := strconv.ParseFloat(withoutUnderscores(text), 64)
		if err != nil || math.Abs(f) > 100 {
			return 0, 0, fmt.Errorf("want a percentage from -100 to 100, got %q", text)
		}
		bounds[i] = int64(math.RoundToEven(f * float64(s.Total) / 100)) // Python's round
	}
	return bounds[0], bounds[1], nil
}

// ordinals returns the ordinals of two integers, which count records or shards. An empty text is the beginning or the end of
// the split. If single, numbers[0] is the index of one shard.
func (s *Split) ordinals(numbers [2]string, shards, single bool) (first, end int64, err error) {
	bounds := [2]int64{0, s.Total}
	for i, text := range numbers {
		if text == "" && !(single && i == 1) {
			continue
		}
		var n int64
		if single && i == 1 {
			n, err = parseInteger(numbers[0])
			n++
		} else {
			n, err = parseInteger(text)
		}
		switch {
		case err != nil:
			return 0, 0, err
		case shards && i == 1 && n <= 0:
			n = s.recordsBefore(n + int64(len(s.Records)))
		case shards:
			n = s.recordsBefore(n)
		}
		bounds[i] = n
	}
	return bounds[0], bounds[1], nil
}

// recordsBefore returns the number of records of the first n shards, as sum(lengths[:n]) in Python: a negative n counts from
// the end, and no n is out of range.
func (s *Split) recordsBefore(n int64) (sum int64) {
	count := int64(len(s.Records))
	if n < 0 {
		n += count
	}
	for _, length := range s.Records[:max(min(n, count), 0)] {
		sum += length
	}
	return sum
}

// parseInteger parses an integer as Python does. Its absolute value is at most 2^53, more than any number of records.
func parseInteger(text string) (int64, error) {
	n, err := strconv.ParseFloat(withoutUnderscores(text), 64)
	if err != nil || strings.Contains(text, ".") {
		return 0, fmt.Errorf("want an integer, got %q", text)
	}
	const limit = 1 << 53
	return int64(max(min(n, limit), -limit)), nil
}

var underscores = regexp.MustCompile(`(\d)_(\d)`)

// withoutUnderscores removes underscores between digits, which Python allows in numbers.
func withoutUnderscores(text string) string {
	for range 2 { // in 1_2_3 the two matches share a digit
		text = underscores.ReplaceAllString(text, "$1$2")
	}
	return text
}

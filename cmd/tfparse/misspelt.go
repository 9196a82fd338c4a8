package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// hint tells of features that flags name and no record has, and of slices that no
// record is in. Where some features did not find room, nobody knows.
func (c *statistics) hint(list *pb.DatasetFeatureStatisticsList) {
	if c.result.LeftOut() > 0 || c.result.Examples() == 0 {
		return
	}
	o := c.result.Options() // of those who wrote the parts, if there are any
	general, all := map[string]bool{}, map[string]bool{}
	for _, path := range c.result.Features() {
		for _, step := range path {
			all[step] = true
		}
		if len(path) == 1 {
			general[path[0]] = true
		}
	}
	for _, name := range o.FeatureAllowlist {
		c.missing(name, "--features", all)
	}
	for _, s := range o.Slices {
		for _, name := range slices.Sorted(maps.Keys(s)) {
			c.missing(name, "--slice", general)
		}
	}
	if len(o.Slices) > 0 && len(list.GetDatasets()) == 1 {
		c.env.console.Print(c.nothing("no record is in a slice of those that --slice names"))
	}
}

// belowZero tells of weights below 0, which are a mistake in most data. TensorFlow Data
// Validation says nothing of them.
func (c *statistics) belowZero(list *pb.DatasetFeatureStatisticsList) {
	o := c.result.Options()
	if o.WeightFeature == "" || o.TFDV {
		return
	}
	for _, f := range list.GetDatasets()[0].GetFeatures() {
		if path := f.GetPath().GetStep(); len(path) != 1 || path[0] != o.WeightFeature || f.GetNumStats().GetMin() >= 0 {
			continue
		}
		c.env.console.Print(fmt.Sprintf("feature %q has weights below 0, down to %g: they are added up as they are, and left out of quantiles",
			o.WeightFeature, f.GetNumStats().GetMin()))
	}
}

// missing tells of a feature that is none of those that there are.
func (c *statistics) missing(name, flag string, there map[string]bool) {
	if !there[name] {
		c.env.console.Print(c.nothing(noFeature(name, flag, there)))
	}
}

// nothing is a text that begins with "no record", for what was described.
func (c *statistics) nothing(text string) string {
	const all = "no record"
	if c.result.Skipped() > 0 {
		return all + " of the sample" + strings.TrimPrefix(text, all)
	}
	return text
}

func noFeature(name, flag string, there map[string]bool) string {
	return fmt.Sprintf("no record has a feature %q, which %s names", name, flag) + isIt(name, slices.Collect(maps.Keys(there)))
}

// noRecords says why no record could be described, as far as one can see from the
// first of them.
func (c *statistics) noRecords() error {
	weight := c.opts.WeightFeature
	for i := range c.names {
		if weight == "" || !readTwice(c.names[i:i+1]) {
			continue
		}
		first := &firstRecords{}
		o := &walk.Options{Stdin: c.env.stdin, Step: true}
		if walk.Walk(c.env.ctx, c.names[i:i+1], o, walk.Guess(c.typ, first)) != nil || first.counted == nil || first.counted.Examples() == 0 {
			continue
		}
		general := map[string]bool{}
		for _, path := range first.counted.Features() {
			if len(path) == 1 {
				general[path[0]] = true
			}
		}
		if !general[weight] {
			return fmt.Errorf("no records to describe: %s", noFeature(weight, "--weight", general))
		}
	}
	return errors.New("no records to describe")
}

// firstRecords counts the first records of a file, for the names in them.
type firstRecords struct {
	counted *stats.Accumulator
}

func (f *firstRecords) Begin(*walk.File) error { return nil }
func (f *firstRecords) End(*walk.File) error   { return nil }
func (f *firstRecords) Lost(*walk.Fault) error { return nil }

func (f *firstRecords) Type(t recordjson.Type) (err error) {
	o := &stats.Options{}
	switch t {
	case recordjson.Sequence:
		o.RecordType = stats.SequenceExamples
	case recordjson.List:
		o.RecordType = stats.ExampleLists
	}
	f.counted, err = stats.New(o)
	return err
}

func (f *firstRecords) Record(rec []byte, _ tfrecord.Position) error {
	_ = f.counted.Add(rec) // others follow
	if f.counted.Examples() == 100 {
		return walk.ErrStop
	}
	return nil
}

// nearest returns the name that a word was most likely meant to be, or "".
func nearest(word string, names []string) string {
	best, least := "", len([]rune(word))/3+1
	for _, name := range names {
		if strings.EqualFold(word, name) {
			return name
		}
		if d := distance([]rune(word), []rune(name), least); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be changed, put in, left out or swapped with
// their neighbours to make b of a; at least most if there are as many.
func distance(a, b []rune, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			row[j+1] = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

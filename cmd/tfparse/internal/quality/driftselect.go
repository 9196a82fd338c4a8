package quality

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// thresholds are the value of --fail-above: a number for all features, and NAME=N for a feature or a measure.
type thresholds struct {
	drift.Thresholds
	all   bool // the number for all features is given
	texts []string
}

func (t *thresholds) String() string { return strings.Join(t.texts, ",") }

func (t *thresholds) Type() string { return "thresholds" }

// Set reads thresholds with commas between them.
func (t *thresholds) Set(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		i := strings.LastIndexByte(one, '=')
		v, err := cli.ParseNonNegative(one[i+1:])
		if err != nil {
			return err
		}
		name, err := jsonscan.ParseName(one[:max(i, 0)])
		if err != nil {
			return err
		}
		var m drift.Measure
		switch {
		case i < 0:
			t.All, t.all = v, true
		case name == "":
			return errors.New("want the name of a feature before =")
		case m.UnmarshalText([]byte(name)) == nil:
			if t.Measures == nil {
				t.Measures = map[drift.Measure]float64{}
			}
			t.Measures[m] = v
		default:
			if t.Features == nil {
				t.Features = map[string]float64{}
			}
			t.Features[name] = v
		}
		t.texts = append(t.texts, one)
	}
	return nil
}

// selected fills in what --select and --drop select, and deals with names on the command line that no feature of the data
// sets has. Where they are allowed, what --select and --fail-above name is not checked, so the answer is not a plain success.
func (c *driftOf) selected(e *cli.Env, o *drift.Options, sides []statsource.Source) error {
	if !c.filter.Given() && len(c.above.Features) == 0 {
		return nil
	}
	var lists []*metadatapb.DatasetFeatureStatisticsList
	for _, s := range sides {
		lists = append(lists, s.Statistics)
	}
	there, err := drift.Names(lists...)
	if err != nil {
		return err
	}
	list, err := c.filter.List(there)
	if err != nil {
		return err
	}
	var texts []string
	for _, item := range list.All() {
		names := item.MatchesOf(there)
		if len(names) == 0 {
			texts, names = append(texts, statsource.NoItem(item, there)), []string{item.Text}
			if !item.Drop {
				e.Raise(cli.ExitSkipped)
			}
		}
		if item.Drop {
			o.Ignore = append(o.Ignore, names...)
		} else {
			o.Features = append(o.Features, names...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.above.Features)) {
		if !there[name] {
			texts = append(texts, statsource.NoFeature(name, "--fail-above", there))
			e.Raise(cli.ExitSkipped)
		}
	}
	return c.reading.MissingFeatures(e, false, texts)
}

// failedLines are the failures of one comparison, a line for each feature.
func failedLines(all []drift.Failure) (lines []string) {
	for i, f := range all {
		text := f.Note
		if text == "" {
			text = fmt.Sprintf("%s %.6g is above %s", nameOf[f.Measure], f.Value, strconv.FormatFloat(f.Threshold, 'g', -1, 64))
			switch {
			case f.Measure == drift.LInfinity:
				text += fmt.Sprintf(" (label %q)", f.Label)
			case f.Text != "":
				text += " (" + f.Text + ")"
			}
		}
		if i > 0 && slices.Equal(f.Path, all[i-1].Path) {
			lines[len(lines)-1] += ", " + text
		} else {
			lines = append(lines, drift.Feature{Path: f.Path}.Name()+": "+text)
		}
	}
	return lines
}

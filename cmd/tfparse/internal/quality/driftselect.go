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

// thresholds is the value of --fail-above: a number for all features, and NAME=N for a feature or a measure.
type thresholds struct {
	drift.Thresholds
	all   bool     // a number for all features is given
	texts []string // the values as given
}

func (t *thresholds) String() string { return strings.Join(t.texts, ",") }

func (t *thresholds) Type() string { return "thresholds" }

// Set parses thresholds separated by commas.
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

// selectFeatures sets the features of --select and --drop in o. It handles names that no feature of the data sets has:
// an error, or with --allow-missing-features a warning and exit code 3.
func (c *driftCommand) selectFeatures(e *cli.Env, o *drift.Options, sides []statsource.Source) error {
	if !c.filter.Given() && len(c.above.Features) == 0 {
		return nil
	}
	var lists []*metadatapb.DatasetFeatureStatisticsList
	for _, s := range sides {
		lists = append(lists, s.Statistics)
	}
	present, err := drift.Names(lists...)
	if err != nil {
		return err
	}
	list, err := c.filter.List(present)
	if err != nil {
		return err
	}
	var texts []string
	for _, item := range list.All() {
		names := item.MatchesOf(present)
		if len(names) == 0 {
			texts, names = append(texts, statsource.NoItem(item, present)), []string{item.Text}
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
		if !present[name] {
			texts = append(texts, statsource.NoFeature(name, "--fail-above", present))
			e.Raise(cli.ExitSkipped)
		}
	}
	return c.reading.MissingFeatures(e, false, texts)
}

// failedLines returns a line per feature with failures.
func failedLines(all []drift.Failure) (lines []string) {
	for i, f := range all {
		text := f.Note
		if text == "" {
			text = fmt.Sprintf("%s %.6g is above %s", measureNames[f.Measure], f.Value, strconv.FormatFloat(f.Threshold, 'g', -1, 64))
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

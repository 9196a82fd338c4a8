package schema

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/sniff"
)

// maxFirstRecords is the number of records whose byte strings are inspected.
const maxFirstRecords = 100

// printContents prints which features hold tensors, with the line of a spec that decodes them, which hold Examples, with their
// features, and which hold other bytes of one size. The spec itself stays as it is: a few records do not prove it.
func (c *schema) printContents(features []infer.Feature) {
	parts := [...]feature.Group{summary.Top: feature.InFeatures, summary.Context: feature.InContext, summary.Lists: feature.InSequence, summary.Examples: feature.InExamples}
	columns := map[feature.Group]map[string]feature.Feature{}
	for _, f := range features {
		if columns[f.Group] == nil {
			columns[f.Group] = map[string]feature.Feature{}
		}
		columns[f.Group][f.Name] = f.Column
	}
	for _, f := range c.firstRecords.Features() {
		name := cli.FeatureName(f.Name)
		column := columns[parts[f.Part]][f.Name]
		if dtype, shape, ok := f.Contents.Tensor(); ok && column != nil {
			if line, err := decodingLine(f.Name, column, dtype, shape); err == nil {
				fmt.Fprintf(c.env.Stderr, "\n%s holds %s; this line of a spec decodes it:\n  %s\n", name, f.Contents, line)
			}
		} else if n, ok := f.Contents.RawLength(); ok {
			fmt.Fprintf(c.env.Stderr, "\n%s holds bytes, all %d long\n", name, n)
		} else if inside := f.Contents.Inside(); len(inside) > 0 {
			var t cli.Table
			for _, f := range inside {
				t.Row("  "+cli.FeatureName(f.Name), cli.KindsText(f.Kinds))
			}
			fmt.Fprintf(c.env.Stderr, "\n%s holds Examples, with the features\n%s", name, t.AppendTo(nil))
		}
	}
}

// images returns the features of Examples whose strings are images that TensorFlow Datasets decodes, by name.
func (c *schema) images() map[string]tfds.Image {
	all := map[string]tfds.Image{}
	if c.firstRecords == nil {
		return all
	}
	for _, f := range c.firstRecords.Features() {
		if format, channels, ok := f.Contents.Images(); ok && f.Part == summary.Top {
			all[f.Name] = tfds.Image{Format: format, Channels: channels}
		}
	}
	return all
}

// decodingLine returns the member of a spec for a column of tensors.
func decodingLine(name string, column feature.Feature, dtype string, shape []int64) (string, error) {
	text, err := feature.Spec{Features: feature.Features{name: column}}.MarshalJSON()
	if err != nil {
		return "", err
	}
	text = bytes.TrimSuffix(text, []byte("}}}}"))
	text = fmt.Appendf(text, `,"decode":{"tensor_proto":{"dtype":%q`, dtype)
	if shape != nil {
		text = append(text, `,"shape":`+sniff.ShapeText(shape)...)
	}
	lines := strings.Split(string(scan.IndentSpec(append(text, "}}}}}}"...))), "\n")
	if len(lines) > 2 { // the first two open the document and its features
		return strings.TrimSpace(lines[2]), nil
	}
	return string(text), nil
}

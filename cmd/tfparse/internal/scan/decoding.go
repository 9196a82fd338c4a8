package scan

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// DecodingLine returns two lines about a feature whose byte strings hold numbers: what they hold, and the line of a spec that decodes
// them. It returns "" for other features. column is the feature in a spec without Decode; nil if a spec cannot decode it. encoded
// reports that the command prints such a spec.
func DecodingLine(f *summary.Feature, column feature.Feature, encoded bool) string {
	d, guess := f.Contents.Decode()
	if d == nil {
		return ""
	}
	column = summary.WithDecode(column, d)
	if column == nil {
		return ""
	}
	all := feature.Features{f.Name: column}
	if raw, ok := d.(feature.DecodeRaw); ok { // the spec is invalid without the sizes
		for _, dim := range raw.Shape {
			switch dim := dim.(type) {
			case feature.SizeOf:
				all[string(dim)] = feature.FixedLen{DType: feature.Int64}
			case feature.SizeAt:
				all[dim.Feature] = feature.FixedLen{DType: feature.Int64, Shape: []int{len(raw.Shape)}}
			}
		}
	}
	text, err := feature.Spec{Features: all}.MarshalJSON()
	if err != nil {
		return ""
	}
	line, start := "", `    `+string(jsonscan.AppendName(nil, []byte(f.Name)))+`: `
	for l := range strings.SplitSeq(string(IndentSpec(text)), "\n") {
		if strings.HasPrefix(l, start) {
			line = strings.TrimSuffix(strings.TrimSpace(l), ",")
		}
	}
	intro := "this line of a spec decodes it"
	switch {
	case guess:
		intro = "if so, " + intro
	case encoded:
		return fmt.Sprintf("%s holds %s, left encoded; %s:\n  %s\n", cli.FeatureName(f.Name), f.Contents, intro, line)
	}
	return fmt.Sprintf("%s holds %s; %s:\n  %s\n", cli.FeatureName(f.Name), f.Contents, intro, line)
}

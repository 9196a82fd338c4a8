package schema

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/sniff"
)

// maxFirstRecords is the number of records whose byte strings are inspected.
const maxFirstRecords = 100

// parts are the groups of a spec by the part of a message.
var parts = [...]feature.Group{summary.Top: feature.InFeatures, summary.Context: feature.InContext, summary.Lists: feature.InSequence, summary.Examples: feature.InExamples}

// printContents prints which features hold tensors or other numbers, with the line of a spec that decodes them, which hold
// images, which hold Examples, with their features, and which hold other bytes of one size.
func (c *schema) printContents(spec feature.Spec) {
	for _, f := range c.firstRecords.Features() {
		name := cli.FeatureName(f.Name)
		column := (*spec.Group(parts[f.Part]))[f.Name]
		if d, ok := feature.DecodeOf(column).(feature.DecodeTensor); ok {
			fmt.Fprintf(c.env.Stderr, "\n%s holds %v %v %s, which the spec decodes\n", name, sniff.TensorProto, d.DType, sniff.ShapeText(d.Shape))
		} else if slices.ContainsFunc(c.tensors, func(t tensorFeature) bool { return t.other && t.part == f.Part && t.name == f.Name }) {
			fmt.Fprintf(c.env.Stderr, "\n%s holds %s in the first %d records, not in all\n", name, f.Contents, c.firstRecords.Records)
		} else if line := scan.DecodingLine(&f, c.decodable(spec, &f), true); line != "" {
			fmt.Fprintf(c.env.Stderr, "\n%s", line)
		} else if n, ok := f.Contents.RawLength(); ok {
			fmt.Fprintf(c.env.Stderr, "\n%s holds bytes, all %d long\n", name, n)
		} else if _, tensors := f.Contents[sniff.TensorProto]; tensors || f.Contents.HasImages() {
			fmt.Fprintf(c.env.Stderr, "\n%s holds %s\n", name, f.Contents)
		} else if inside := f.Contents.Inside(); len(inside) > 0 {
			var t cli.Table
			for _, f := range inside {
				t.Row("  "+cli.FeatureName(f.Name), cli.KindsText(f.Kinds))
			}
			fmt.Fprintf(c.env.Stderr, "\n%s holds Examples, with the features\n%s", name, t.AppendTo(nil))
		}
	}
}

// decodable returns the column of a feature; nil if the spec would be invalid with the feature's Decode, as when a size is not in
// the spec.
func (c *schema) decodable(spec feature.Spec, f *summary.Feature) feature.Feature {
	group := spec.Group(parts[f.Part])
	column, ok := (*group)[f.Name]
	d, _ := f.Contents.Decode()
	if !ok || d == nil {
		return nil
	}
	decoded := summary.WithDecode(column, d)
	if decoded == nil {
		return nil
	}
	(*group)[f.Name] = decoded
	err := spec.Validate()
	(*group)[f.Name] = column
	if err != nil {
		return nil
	}
	return column
}

// A tensorFeature is a feature whose byte strings are TensorProtos of one dtype and rank in the first records.
type tensorFeature struct {
	part   summary.Part
	name   string
	decode feature.DecodeTensor // of all records so far; -1 for a dimension that varies
	other  bool                 // a record after the first ones has something else
}

// findTensors sets c.tensors after the last of the first records. The tensors of one record must have one shape.
func (c *schema) findTensors() {
	c.tensors = []tensorFeature{}
	for _, f := range c.firstRecords.Features() {
		d, ok := f.Contents.Tensors()
		most := int64(summary.MaxValues) // the others were not inspected
		if slices.Contains(d.Shape, -1) {
			most = 1
		}
		if ok && f.Part <= summary.Context && f.Values.Max <= most {
			c.tensors = append(c.tensors, tensorFeature{part: f.Part, name: f.Name, decode: d})
		}
	}
}

// checkTensors compares c.tensors with a record after the first ones.
func (c *schema) checkTensors(rec []byte) error {
	var values scan.Values
	for i := range c.tensors {
		f := &c.tensors[i]
		if f.other {
			continue
		}
		if _, err := values.Lookup(c.recordType, rec, f.name); err != nil {
			return err
		}
		f.other = len(values.Ints)+len(values.Floats) > 0
		var first []int64 // shape of the first tensor in the record
		for n, v := range values.Strings {
			t, ok := sniff.DetectTensor(v)
			if n == 0 {
				first = t.Shape
			}
			if !ok || t.DType != f.decode.DType.String() || len(t.Shape) != len(f.decode.Shape) || !slices.Equal(t.Shape, first) {
				f.other = true
				break
			}
			for j, size := range t.Shape {
				if size != f.decode.Shape[j] {
					f.decode.Shape[j] = -1
				}
			}
		}
	}
	return nil
}

// decodeTensors returns the spec with Decode for features that hold TensorProtos of one dtype and rank in all records.
func (c *schema) decodeTensors(spec feature.Spec) feature.Spec {
	if c.tensors == nil {
		c.findTensors()
	}
	for _, f := range c.tensors {
		group := *spec.Group(parts[f.part])
		column := group[f.name]
		decoded := summary.WithDecode(column, f.decode)
		if f.other || column == nil || decoded == nil {
			continue
		}
		group[f.name] = decoded
		if spec.Validate() != nil {
			group[f.name] = column
		}
	}
	return spec
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

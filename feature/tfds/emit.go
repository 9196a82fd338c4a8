package tfds

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// An Image describes the encoded images of a column.
type Image struct {
	Format   string // "jpeg" or "png"
	Channels int    // number of channels of every image
}

// FeaturesJSON returns a features.json for Examples of a spec, so that TensorFlow Datasets reads their records. images has the
// columns with images, by name; other strings are Text. Row partitions become lists of integers, unless they have the names
// that TensorFlow Datasets gives them. The notes say where a column differs from the spec.
func FeaturesJSON(spec feature.Spec, images map[string]Image) ([]byte, []Note, error) {
	if spec.Message() != example.TypeExample {
		return nil, nil, fmt.Errorf("tfds: records of type %v: TensorFlow Datasets reads Examples only", spec.Message())
	}
	e := emitter{fields: map[string]any{}, images: images}
	for _, name := range slices.Sorted(maps.Keys(spec.Features)) {
		e.addColumn(name, spec.Features[name])
	}
	text, err := json.MarshalIndent(connectorJSON("features_dict.FeaturesDict", "featuresDict", map[string]any{"features": e.fields}), "", "    ")
	return append(text, '\n'), e.notes, err
}

// emitter collects the features of a features.json.
type emitter struct {
	fields map[string]any   // the JSON of each connector, by name
	images map[string]Image // from the caller
	notes  []Note           // differences from the spec so far
}

// notef adds a note about a column.
func (e *emitter) notef(name, format string, args ...any) {
	e.notes = append(e.notes, Note{name, false, fmt.Sprintf(format, args...)})
}

// addColumn adds the features of a column.
func (e *emitter) addColumn(name string, f feature.Feature) {
	switch f := f.(type) {
	case feature.FixedLen:
		if f.Default.Kind() != example.Unset {
			e.notef(name, "a default is left out: TensorFlow Datasets has none")
		}
		e.fields[name] = e.values(name, f.DType, f.Shape, f.Decode)
	case feature.FixedLenSequence:
		e.fields[name] = sequenceJSON(e.values(name, f.DType, f.Shape, f.Decode))
	case feature.VarLen:
		e.fields[name] = sequenceJSON(e.values(name, f.DType, nil, f.Decode))
	case feature.Ragged:
		e.addRagged(name, f)
	case feature.Sparse:
		e.notef(name, "indices and values become lists")
		for _, key := range f.IndexKeys {
			e.fields[key] = sequenceJSON(e.values(key, feature.Int64, nil, nil))
		}
		e.fields[f.ValueKey] = sequenceJSON(e.values(f.ValueKey, f.DType, nil, nil))
	}
}

// addRagged adds a ragged column: nested Sequences if its keys have the names of TensorFlow Datasets, else a list for each key.
func (e *emitter) addRagged(name string, f feature.Ragged) {
	inner := f.InnerShape()
	outer := f.Partitions[:len(f.Partitions)-len(inner)]
	key := f.ValueKey
	if key == "" {
		key = name
	}
	column, named := strings.CutSuffix(key, "/ragged_flat_values")
	for i, p := range outer {
		lengths, ok := p.(feature.RowLengths)
		named = named && ok && string(lengths) == column+"/ragged_row_lengths_"+strconv.Itoa(i)
	}
	if named {
		nested := sequenceJSON(e.values(column, f.DType, inner, f.Decode))
		for range outer {
			nested = sequenceJSON(nested)
		}
		e.fields[column] = nested
		return
	}
	if len(outer) > 0 {
		e.notef(name, "row partitions become lists: TensorFlow Datasets has other keys")
	}
	e.fields[key] = sequenceJSON(e.values(key, f.DType, inner, f.Decode))
	for _, p := range outer {
		if _, k := feature.PartitionKey(p); k != "" {
			e.fields[k] = sequenceJSON(e.values(k, feature.Int64, nil, nil))
		}
	}
}

// values returns the connector for values of a shape, without a Sequence around them.
func (e *emitter) values(name string, dtype feature.DType, shape []int, d feature.Decode) any {
	if raw, ok := d.(feature.DecodeRaw); ok && len(shape) == 0 && !raw.BigEndian {
		if dims, ok := staticShape(raw.Shape); ok {
			element := raw.DType
			if raw.Bitcast != tensor.Invalid {
				element = raw.Bitcast
			}
			return tensorJSON(element.String(), dims, map[bool]string{false: "bytes", true: "zlib"}[raw.Zlib])
		}
	}
	if d != nil {
		e.notef(name, "strings stay encoded")
	}
	image, ok := e.images[name]
	switch {
	case dtype != feature.String || len(shape) > 0:
		return tensorJSON(dtype.String(), shape, "none")
	case ok:
		return connectorJSON("image_feature.Image", "image", map[string]any{
			"shape": shapeJSON([]int{unknown, unknown, image.Channels}), "dtype": "uint8", "encodingFormat": image.Format,
		})
	}
	return connectorJSON("text_feature.Text", "text", map[string]any{})
}

// staticShape returns the shape of decoded strings; ok is false if the spec has none, or if a feature holds a dimension.
func staticShape(dims []feature.Dimension) (shape []int, ok bool) {
	for _, d := range dims {
		n, ok := d.(feature.Size)
		if !ok {
			return nil, false
		}
		shape = append(shape, int(n))
	}
	return shape, dims != nil
}

// connectorJSON returns the JSON of a connector. member is the name of its content.
func connectorJSON(class, member string, content map[string]any) map[string]any {
	return map[string]any{"pythonClassName": "tensorflow_datasets.core.features." + class, member: content}
}

func sequenceJSON(inner any) any {
	return connectorJSON("sequence_feature.Sequence", "sequence", map[string]any{"feature": inner, "length": "-1"})
}

func tensorJSON(dtype string, shape []int, encoding string) any {
	return connectorJSON("tensor_feature.Tensor", "tensor", map[string]any{"shape": shapeJSON(shape), "dtype": dtype, "encoding": encoding})
}

// shapeJSON returns the JSON of a shape; an unknown dimension is -1.
func shapeJSON(shape []int) map[string]any {
	if len(shape) == 0 {
		return map[string]any{}
	}
	dims := []string{}
	for _, d := range shape {
		dims = append(dims, strconv.Itoa(d))
	}
	return map[string]any{"dimensions": dims}
}

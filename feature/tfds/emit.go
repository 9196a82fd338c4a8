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

// An Image describes the images in the strings of a column.
type Image struct {
	Format   string // "jpeg" or "png"
	Channels int    // of all images
}

// FeaturesJSON returns a features.json with which TensorFlow Datasets reads the records of a spec of Examples. images has the columns
// of images by name; other strings are Text. Row partitions become lists of integers of their own, unless they are named as
// TensorFlow Datasets names them. Notes say where its columns differ from the spec.
func FeaturesJSON(spec feature.Spec, images map[string]Image) ([]byte, []Note, error) {
	if spec.Message() != example.TypeExample {
		return nil, nil, fmt.Errorf("tfds: records of type %v: TensorFlow Datasets has Examples only", spec.Message())
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
	fields map[string]any
	images map[string]Image
	notes  []Note
}

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

// addRagged adds a ragged column: Sequences of Sequences if its keys are those of TensorFlow Datasets, else a list for each key.
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

// values returns the connector of values of a shape.
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

// staticShape returns the shape of decoded strings, if it has at most one unknown dimension and none in the record.
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

func connectorJSON(class, member string, content map[string]any) map[string]any {
	return map[string]any{"pythonClassName": "tensorflow_datasets.core.features." + class, member: content}
}

func sequenceJSON(inner any) any {
	return connectorJSON("sequence_feature.Sequence", "sequence", map[string]any{"feature": inner, "length": "-1"})
}

func tensorJSON(dtype string, shape []int, encoding string) any {
	return connectorJSON("tensor_feature.Tensor", "tensor", map[string]any{"shape": shapeJSON(shape), "dtype": dtype, "encoding": encoding})
}

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

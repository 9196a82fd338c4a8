package recordbatch

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/example"
)

// huggingFaceKey is the metadata key of a schema in which the package datasets of Hugging Face keeps the types of columns
// that Arrow lacks, as JSON.
const huggingFaceKey = "huggingface"

// imageType is the type of an image in datasets, and of audio. datasets ignores its own metadata for any other type, such
// as large_binary, and for fields that are not nullable.
var imageType = arrow.StructOf(
	arrow.Field{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true},
	arrow.Field{Name: "path", Type: arrow.BinaryTypes.String, Nullable: true})

// isImage reports whether a struct has the fields of an image in datasets, in any order and of any width.
func isImage(t *arrow.StructType) bool {
	image, ok := t.FieldByName("bytes")
	path, named := t.FieldByName("path")
	return t.NumFields() == 2 && ok && named && kindOf(image.Type) == example.BytesList &&
		(kindOf(path.Type) == example.BytesList || path.Type.ID() == arrow.NULL)
}

func (t leafType) isImage() bool { return t.arrow == arrow.DataType(imageType) }

// imageData returns an array of images, with copies of their bytes and without paths. valid is a bitmap of the images that
// are not null; nil: all are.
func imageData[S string | []byte](images []S, valid []byte, nulls int) (arrow.ArrayData, error) {
	total := 0
	for _, s := range images {
		total += len(s)
	}
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d bytes of images in one batch, want at most %d", ErrData, total, math.MaxInt32)
	}
	n := len(images)
	offsets, all := make([]int32, 1, n+1), make([]byte, 0, total)
	for _, s := range images {
		all = append(all, s...)
		offsets = append(offsets, int32(len(all)))
	}
	var validity *memory.Buffer
	if nulls > 0 {
		validity = memory.NewBufferBytes(valid)
	}
	bytes := array.NewData(arrow.BinaryTypes.Binary, n, []*memory.Buffer{validity, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(all)}, nil, nulls, 0)
	paths := array.NewData(arrow.BinaryTypes.String, n, []*memory.Buffer{
		memory.NewBufferBytes(make([]byte, (n+7)/8)), memory.NewBufferBytes(make([]byte, 4*(n+1))), memory.NewBufferBytes(nil)}, nil, n, 0)
	return array.NewData(imageType, n, []*memory.Buffer{validity}, []arrow.ArrayData{bytes, paths}, nulls, 0), nil
}

// huggingFaceType returns the type of a column in datasets, for the metadata; nil if the Arrow type says all.
func (p *columnPlan) huggingFaceType() any {
	var t map[string]any
	switch {
	case p.leaf.isImage():
		t = map[string]any{"_type": "Image"}
	case len(p.leaf.labels) > 0 && p.leaf.arrow == arrow.PrimitiveTypes.Int64 && len(p.axes) == 0: // the elements of lists are not nullable
		t = map[string]any{"_type": "ClassLabel", "names": p.leaf.labels}
	default:
		return nil
	}
	for i := range p.axes {
		list := map[string]any{"_type": "LargeList", "feature": t}
		if n := p.axes[len(p.axes)-1-i]; n > 0 {
			list["_type"], list["length"] = "List", n
		}
		t = list
	}
	return t
}

// huggingFaceText returns the value of huggingFaceKey for some columns; "" if none needs it.
func huggingFaceText(columns []columnPlan) (string, error) {
	features := map[string]any{}
	for i := range columns {
		if t := columns[i].huggingFaceType(); t != nil {
			features[columns[i].name] = t
		}
	}
	if len(features) == 0 {
		return "", nil
	}
	text, err := json.Marshal(map[string]any{"info": map[string]any{"features": features}})
	return string(text), err
}

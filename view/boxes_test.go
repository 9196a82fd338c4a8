package view

import (
	"math"
	"reflect"
	"testing"

	"github.com/tfparse/tfparse/example"
)

// TestBoxes finds boxes under the names of object detection and of TensorFlow Datasets.
func TestBoxes(t *testing.T) {
	im := example.Bytes(testPNG(t, 20, 10))
	half := example.Floats(0.5, 0.5)
	for _, c := range []struct {
		name   string
		record example.Example
		want   map[string][]box
	}{
		{"object detection", example.Example{
			"image/encoded": im, "image/object/bbox/ymin": example.Floats(0, 0.25), "image/object/bbox/xmin": example.Floats(0.1, 0.2), "image/object/bbox/ymax": half, "image/object/bbox/xmax": half,
			"image/object/class/text": example.Strings("cat", "dog"), "image/object/class/label": example.Int64s(1, 2),
		}, map[string][]box{"features:image/encoded": {{0, float64(float32(0.1)), 0.5, 0.5, "cat"}, {0.25, float64(float32(0.2)), 0.5, 0.5, "dog"}}}},
		{"class numbers", example.Example{
			"image/encoded": im, "image/object/bbox/ymin": example.Floats(0), "image/object/bbox/xmin": example.Floats(0), "image/object/bbox/ymax": half, "image/object/bbox/xmax": half, "image/object/class/label": example.Int64s(1),
		}, map[string][]box{"features:image/encoded": {{0, 0, 0.5, 0.5, "one"}}}},
		{"TensorFlow Datasets", example.Example{
			"image": im, "objects/bbox": example.Floats(0, 0.25, 0.5, 0.75, 0, 0, 1, 1), "objects/label": example.Int64s(0, 7),
		}, map[string][]box{"features:image": {{0, 0.25, 0.5, 0.75, "zero"}, {0, 0, 1, 1, "7"}}}},
		{"one box", example.Example{"image": im, "bbox": example.Floats(0, 0, 0.5, 0.5), "label": example.Int64s(5)}, map[string][]box{"features:image": {{0, 0, 0.5, 0.5, "5"}}}},
		{"pixels", example.Example{"image": im, "bbox": example.Int64s(1, 2, 5, 10)}, map[string][]box{"features:image": {{0.1, 0.1, 0.5, 0.5, ""}}}},
		{"raw bytes", example.Example{"raw": example.Bytes(make([]byte, 4*8)), "height": example.Int64s(4), "width": example.Int64s(8), "bbox": example.Floats(0, 0, 2, 2)},
			map[string][]box{"features:raw": {{0, 0, 0.5, 0.25, ""}}}},
		{"the nearest image", example.Example{"a/image": im, "b/image": im, "b/bbox": example.Floats(0, 0, 1, 1)}, map[string][]box{"features:b/image": {{0, 0, 1, 1, ""}}}},
		{"not boxes", example.Example{"image": im, "bbox": example.Floats(0.5, 0, 0.25, 1, float32(math.NaN()), 0, 1, 1, 0, 0, 30, float32(math.Inf(1))), "x/bbox": example.Strings("a")}, map[string][]box{}},
		{"no image", example.Example{"bbox": example.Floats(0, 0, 1, 1)}, map[string][]box{}},
	} {
		h := recordsHandler(t, &Options{Classes: map[string][]string{"objects/label": {"zero"}, "image/object/class/label": {"", "one"}}}, marshal(t, c.record))
		if r := getRecord(t, h, 0); !reflect.DeepEqual(r.Boxes, c.want) {
			t.Errorf("%s: %v, want %v", c.name, r.Boxes, c.want)
		}
	}
	many := make([]float32, 4*maxBoxes+40)
	for i := range many {
		many[i] = float32(i%4) / 4
	}
	h := recordsHandler(t, nil, marshal(t, example.Example{"image": im, "bbox": example.Floats(many...)}))
	if r := getRecord(t, h, 0); len(r.Boxes["features:image"]) > maxBoxes {
		t.Errorf("%d boxes", len(r.Boxes["features:image"]))
	}
	list := example.ExampleList{Examples: []example.Example{{"image": im, "bbox": example.Floats(0, 0, 1, 1)}}}
	h = recordsHandler(t, &Options{Type: example.TypeExampleList}, marshal(t, list))
	var r struct{ Examples []exampleAnswer }
	getJSON(t, h, "api/record?record=0", &r)
	if got := r.Examples[0].Boxes["examples:image"]; len(got) != 1 {
		t.Errorf("%v in an example", got)
	}
}

package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
)

// maxBoxes is the number of boxes over one image.
const maxBoxes = 1_000

// A box is a rectangle over an image. Coordinates are parts of its height and width, from 0 to 1.
type box struct {
	Y0    float64 `json:"y0"`
	X0    float64 `json:"x0"`
	Y1    float64 `json:"y1"`
	X1    float64 `json:"x1"`
	Label string  `json:"label"`
}

// findBoxes finds the boxes of a message, by ID of the image that they are over: under the names of TensorFlow's object
// detection, image/object/bbox/{ymin,xmin,ymax,xmax}, and under those of TensorFlow Datasets, bbox and …/bbox with
// (ymin, xmin, ymax, xmax) for each box.
func (h *Handler) findBoxes(m *messageFeatures, q *quota) map[string][]box {
	found := map[string][]box{}
	var images []boxedImage
	for _, e := range m.entries {
		name := e.name
		var boxes []box
		var labels []string
		switch dir, last := name[:strings.LastIndexByte(name, '/')+1], name[strings.LastIndexByte(name, '/')+1:]; {
		case last == "ymin" && strings.HasSuffix(dir, "bbox/"):
			boxes = m.readSides(dir)
			owner := strings.TrimSuffix(dir, "bbox/")
			labels = h.boxLabels(m, len(boxes), owner+"class/text", owner+"class/label", owner+"label")
		case last == "bbox" || last == "bboxes":
			boxes = m.readCorners(name)
			labels = h.boxLabels(m, len(boxes), dir+"label", dir+"labels", "label")
		}
		if len(boxes) == 0 {
			continue
		}
		if images == nil {
			images = m.findImages()
		}
		im := nearestImage(images, name)
		// Coordinates are parts of the image, perhaps a little above 1 by rounding, or pixels.
		pixels := slices.ContainsFunc(boxes, func(b box) bool { return max(b.Y1, b.X1) > 1.5 })
		for i, b := range boxes {
			if pixels {
				b.Y0, b.Y1, b.X0, b.X1 = b.Y0/im.height, b.Y1/im.height, b.X0/im.width, b.X1/im.width
			}
			if im.id == "" || !b.isValid() || len(found[im.id]) == maxBoxes || q.isSpent() {
				continue
			}
			if i < len(labels) {
				b.Label = labels[i]
			}
			q.spend(4*numberSize + len(b.Label))
			found[im.id] = append(found[im.id], b)
		}
	}
	return found
}

// isValid reports whether the box is a rectangle within the image, or a little beyond it. NaN and infinities are not.
func (b *box) isValid() bool {
	const slack = 0.05
	return b.Y0 >= -slack && b.X0 >= -slack && b.Y0 <= b.Y1 && b.X0 <= b.X1 && b.Y1 <= 1+slack && b.X1 <= 1+slack
}

// readNumbers returns up to n numbers of a feature of floats or integers.
func (m *messageFeatures) readNumbers(name string, n int) (numbers []float64) {
	f, ok := m.lookUp(name)
	if !ok || f.Validate() != nil || f.Kind() != example.FloatList && f.Kind() != example.Int64List {
		return nil
	}
	for _, v := range featureValues(f) {
		if len(numbers) == n {
			break
		}
		if f.Kind() == example.FloatList {
			numbers = append(numbers, float64(wire.Float(v)))
		} else {
			u, _ := wire.Varint(v, 0)
			numbers = append(numbers, float64(int64(u)))
		}
	}
	return numbers
}

// readSides reads the boxes with one feature for each side.
func (m *messageFeatures) readSides(dir string) (boxes []box) {
	y0, x0 := m.readNumbers(dir+"ymin", maxBoxes), m.readNumbers(dir+"xmin", maxBoxes)
	y1, x1 := m.readNumbers(dir+"ymax", maxBoxes), m.readNumbers(dir+"xmax", maxBoxes)
	for i := range min(len(y0), len(x0), len(y1), len(x1)) {
		boxes = append(boxes, box{Y0: y0[i], X0: x0[i], Y1: y1[i], X1: x1[i]})
	}
	return boxes
}

// readCorners reads the boxes of a feature with four numbers for each.
func (m *messageFeatures) readCorners(name string) (boxes []box) {
	v := m.readNumbers(name, 4*maxBoxes)
	for ; len(v) >= 4; v = v[4:] {
		boxes = append(boxes, box{Y0: v[0], X0: v[1], Y1: v[2], X1: v[3]})
	}
	return boxes
}

// boxLabels returns the labels of n boxes under the first of the names that has a label for each.
func (h *Handler) boxLabels(m *messageFeatures, n int, names ...string) []string {
	for _, name := range names {
		f, ok := m.lookUp(name)
		if count, err := f.Len(); !ok || err != nil || count < n {
			continue
		}
		var labels []string
		for _, v := range featureValues(f) {
			if len(labels) == n {
				break
			}
			if f.Kind() == example.BytesList {
				labels = append(labels, shortText(string(v), 60))
			} else {
				labels = append(labels, cmp.Or(className(h.opts.Classes[name], f.Kind(), v), numberText(f.Kind(), v)))
			}
		}
		return labels
	}
	return nil
}

// A boxedImage is an image that boxes may be over.
type boxedImage struct {
	id, name      string
	height, width float64 // in pixels
}

// findImages returns the images of a message.
func (m *messageFeatures) findImages() (images []boxedImage) {
	for _, e := range m.entries {
		if n, err := e.value.Len(); err != nil || n == 0 || e.value.Kind() != example.BytesList {
			continue
		}
		first := firstValue(e.value)
		im := boxedImage{id: featureID(m.group, e.name), name: e.name}
		if d := describeBytes(first); d.Image {
			im.height, im.width = float64(d.Height), float64(d.Width)
		} else if shape, ok := m.rawShape(im.name, len(first)); ok && !d.isText() {
			im.height, im.width = float64(shape[0]), float64(shape[1])
		} else {
			continue
		}
		images = append(images, im)
	}
	return images
}

// nearestImage returns the image whose name has most in common with that of boxes.
func nearestImage(images []boxedImage, name string) (im boxedImage) {
	best := -1
	for _, candidate := range images {
		if n := commonPrefix(name, candidate.name); n > best {
			best, im = n, candidate
		}
	}
	return im
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

package view

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// pictureShape returns the height, the width and the channels of an array that may be a picture: of rank 2, or 3 with
// 1, 3 or 4 channels, after leading dimensions of 1.
func pictureShape(shape []int64) (height, width, channels int64, ok bool) {
	for len(shape) > 2 && shape[0] == 1 {
		shape = shape[1:]
	}
	switch len(shape) {
	case 2:
		height, width, channels = shape[0], shape[1], 1
	case 3:
		height, width, channels = shape[0], shape[1], shape[2]
	}
	return height, width, channels, height > 1 && width > 1 && (channels == 1 || channels == 3 || channels == 4)
}

// isPicture reports whether a tensor is a picture: bytes, or floats from 0 to 1.
func isPicture(t *tensor.Tensor) bool {
	if _, _, _, ok := pictureShape(t.Shape); !ok {
		return false
	}
	switch t.DType {
	case tensor.Uint8:
		return true
	case tensor.Float32:
		for i := 0; i < len(t.Bytes); i += 4 {
			if v := wire.Float(t.Bytes[i:]); !(v >= 0 && v <= 1) { // NaN too
				return false
			}
		}
		return true
	}
	return false
}

// pixelsOf returns the elements of a picture as bytes, floats from 0 to 1 as 0 to 255.
func pixelsOf(t *tensor.Tensor) []byte {
	if t.DType == tensor.Uint8 {
		return t.Bytes
	}
	pixels := make([]byte, t.Len())
	for i := range pixels {
		pixels[i] = byte(math.Round(float64(wire.Float(t.Bytes[4*i:])) * 255))
	}
	return pixels
}

// encodePNG returns a picture as PNG. pixels has height*width*channels bytes.
func encodePNG(pixels []byte, height, width, channels int) ([]byte, error) {
	var im image.Image
	bounds := image.Rect(0, 0, width, height)
	switch channels {
	case 1:
		im = &image.Gray{Pix: pixels, Stride: width, Rect: bounds}
	case 4:
		im = &image.NRGBA{Pix: pixels, Stride: 4 * width, Rect: bounds}
	default:
		rgba := image.NewNRGBA(bounds)
		for i, j := 0, 0; i < len(rgba.Pix); i, j = i+4, j+3 {
			copy(rgba.Pix[i:], pixels[j:j+3])
			rgba.Pix[i+3] = 0xff
		}
		im = rgba
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, im)
	return b.Bytes(), err
}

// rawShape returns the shape of a picture of raw bytes under a name, from the features height, width, and depth or channels
// beside it.
func (m *messageFeatures) rawShape(name string, size int) (shape []int64, ok bool) {
	dir := name[:strings.LastIndexByte(name, '/')+1]
	height, ok1 := m.lookUpInt64(dir + "height")
	width, ok2 := m.lookUpInt64(dir + "width")
	if !ok1 || !ok2 || height < 1 || width < 1 || height > int64(size) || width > int64(size)/height {
		return nil, false
	}
	channels := int64(size) / (height * width)
	for _, sibling := range []string{"depth", "channels"} {
		if n, ok := m.lookUpInt64(dir + sibling); ok && n != channels {
			return nil, false
		}
	}
	shape = []int64{height, width, channels}
	_, _, _, ok = pictureShape(shape)
	return shape, ok && height*width*channels == int64(size)
}

// lookUpInt64 returns the value of a feature of one integer.
func (m *messageFeatures) lookUpInt64(name string) (v int64, ok bool) {
	f, found := m.lookUp(name)
	if n, err := f.Len(); !found || err != nil || n != 1 || f.Kind() != example.Int64List {
		return 0, false
	}
	u, _ := wire.Varint(firstValue(f), 0)
	return int64(u), true
}

var errNoPicture = errors.New("the value is not a picture")

// findPicture returns the tensor of the picture that a request names: a decoded column, or a value.
func (h *Handler) findPicture(r *http.Request, msg []byte) (t tensor.Tensor, err error) {
	if id := r.URL.Query().Get("column"); id != "" {
		if h.parser == nil {
			return t, errNoSpec
		}
		columns, err := h.parser.ParseSingle(msg)
		if err != nil {
			return t, err
		}
		for _, c := range columns.All() {
			if featureID(columnGroups[c.Group()], c.Name()) == id {
				t, _ = c.Decoded(0)
				return t, nil
			}
		}
		return t, errNoValue
	}
	v, err := parseValuePlace(r)
	if err != nil {
		return t, err
	}
	b, err := h.findBytes(msg, v)
	if err != nil {
		return t, err
	}
	if t, ok := decodeTensor(b); ok {
		return t, nil
	}
	if m, err := h.messageOf(msg, v); err == nil {
		if shape, ok := m.rawShape(v.name, len(b)); ok {
			return tensor.Tensor{DType: tensor.Uint8, Shape: shape, Bytes: b}, nil
		}
	}
	return t, errNoPicture
}

// servePicture answers with an array as PNG.
func (h *Handler) servePicture(w http.ResponseWriter, r *http.Request) error {
	msg, err := h.requestMessage(r)
	if err != nil {
		return err
	}
	t, err := h.findPicture(r, msg)
	if err == nil && !isPicture(&t) {
		err = errNoPicture
	}
	if err != nil {
		return withStatus(http.StatusNotFound, err)
	}
	height, width, channels, _ := pictureShape(t.Shape)
	if height*width > h.opts.MaxPixels {
		return withStatus(http.StatusRequestEntityTooLarge, fmt.Errorf("a picture of %dx%d is over the limit of %d pixels", width, height, h.opts.MaxPixels))
	}
	b, err := encodePNG(pixelsOf(&t), int(height), int(width), int(channels))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.Write(b)
	return nil
}

package tfds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// connector is a node of features.json, a FeatureConnector of TensorFlow Datasets.
type connector struct {
	class string // Python class, without its module
	kind  kind   // kindOther: the encoding of values is unknown

	fields map[string]*connector // by name, of a dict
	inner  *connector            // of a sequence: its elements
	length int                   // of a sequence; may be unknown

	shape    []int  // of a tensor or a decoded image
	dtype    string // of a tensor: name of the NumPy type, such as uint8
	classes  int    // of labels: their number
	encoding string // of a tensor: bytes or zlib in any case; none or empty: records have plain values
	optional bool   // of a tensor: a record may have no value
	format   string // of images
}

type kind uint8

const (
	kindOther kind = iota
	kindDict
	kindSequence
	kindTensor
	kindImage
)

// maxDepth is the maximum nesting of connectors.
const maxDepth = 64

// object is a JSON object. Names of members are camelCase, as in protobuf's JSON, or with
// underscores, as in Python; methods accept both.
type object map[string]json.RawMessage

func (o object) has(name string) bool { return o.get(name) != nil }

func (o object) get(name string) json.RawMessage {
	if v, ok := o[name]; ok {
		return v
	}
	var snake strings.Builder
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			snake.WriteByte('_')
			c += 'a' - 'A'
		}
		snake.WriteRune(c)
	}
	return o[snake.String()]
}

// decode decodes a member, which may be missing.
func (o object) decode(name string, into any) error {
	v := o.get(name)
	if v == nil || string(v) == "null" {
		return nil
	}
	if err := json.Unmarshal(v, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// contents lists the members that contain the content of a connector, and the class of each in files
// of versions before 4.3.
var contents = map[string]string{
	"featuresDict": "FeaturesDict", "sequence": "Sequence", "tensor": "Tensor", "classLabel": "ClassLabel", "image": "Image", "video": "Video",
	"audio": "Audio", "boundingBox": "BBoxFeature", "text": "Text", "translation": "Translation",
}

// parseConnector parses a connector in the format of any version:
//
//	{"pythonClassName": "….ClassLabel", "classLabel": {"numClasses": "10"}}   since 4.3
//	{"pythonClassName": "….Mine", "jsonFeature": {"json": "{…}"}}             classes without a message type
//	{"type": "….ClassLabel", "content": {"num_classes": 10}}                  before 4.3
func parseConnector(b []byte, depth int) (*connector, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	var o object
	if err := json.Unmarshal(b, &o); err != nil {
		return nil, err
	}
	c := &connector{}
	var class string
	if err := o.decode("pythonClassName", &class); err != nil {
		return nil, err
	}
	if o.has("type") {
		if err := o.decode("type", &class); err != nil {
			return nil, err
		}
	}
	c.class = class[strings.LastIndexByte(class, '.')+1:]
	if c.class == "" {
		return nil, fmt.Errorf("want an object with pythonClassName or type")
	}
	for _, member := range slices.Sorted(maps.Keys(contents)) {
		if !o.has(member) {
			continue
		}
		var content object
		if err := o.decode(member, &content); err != nil {
			return nil, err
		}
		return c, c.fill(contents[member], content, depth)
	}
	content := o.get("content")
	if text := o.get("jsonFeature"); text != nil {
		var feature struct {
			JSON string `json:"json"`
		}
		if err := json.Unmarshal(text, &feature); err != nil {
			return nil, fmt.Errorf("jsonFeature: %w", err)
		}
		content = json.RawMessage(feature.JSON)
	}
	if !strings.HasPrefix(class, "tensorflow_datasets.") {
		return c, nil // of kindOther
	}
	// The content of a message is a string in some versions.
	if content = bytes.TrimSpace(content); len(content) > 0 && content[0] == '"' {
		var text string
		if err := json.Unmarshal(content, &text); err != nil {
			return nil, err
		}
		content = json.RawMessage(text)
	}
	var fields object
	if len(content) > 0 {
		if err := json.Unmarshal(content, &fields); err != nil {
			return nil, fmt.Errorf("content of %s: %w", c.class, err)
		}
	}
	return c, c.fill(c.class, fields, depth)
}

// fill sets the fields that the content of a class determines.
func (c *connector) fill(class string, o object, depth int) error {
	var err error
	switch class {
	case "FeaturesDict":
		return c.dict(o, depth)
	case "Sequence", "Dataset":
		c.kind, c.length = kindSequence, unknown
		length := number(unknown)
		if err := o.decode("length", &length); err != nil {
			return err
		}
		if c.length = int(length); length < unknown || int64(c.length) != int64(length) {
			return fmt.Errorf("invalid length %d of a Sequence", length)
		}
		if !o.has("feature") {
			return fmt.Errorf("%s without a feature", class)
		}
		c.inner, err = parseConnector(o.get("feature"), depth+1)
		return err
	case "Tensor", "Scalar", "Audio":
		c.kind = kindTensor
		var lazy bool
		for name, into := range map[string]any{"dtype": &c.dtype, "encoding": &c.encoding, "optional": &c.optional, "lazyDecode": &lazy} {
			if err := o.decode(name, into); err != nil {
				return err
			}
		}
		if lazy {
			*c = connector{class: c.class, kind: kindTensor, dtype: "string"}
			return nil
		}
		c.shape, err = shapeOf(o)
		return err
	case "ClassLabel":
		c.kind, c.dtype = kindTensor, "int64"
		return o.decodeClasses(c)
	case "BBoxFeature":
		c.kind, c.dtype, c.shape = kindTensor, "float32", []int{4}
	case "Text":
		c.kind, c.dtype = kindTensor, "string"
	case "Image", "LabeledImage":
		return c.image(o)
	case "Video":
		shape, err := shapeOf(o)
		if err != nil {
			return err
		}
		c.kind, c.length = kindSequence, unknown
		if len(shape) > 0 {
			c.length = shape[0]
		}
		c.inner = &connector{class: "Image"}
		if err = c.inner.image(o); err == nil && len(shape) > 0 {
			c.inner.shape = shape[1:]
		}
		return err
	case "Translation", "TranslationVariableLanguages":
		return c.translation(o)
	}
	return nil
}

// image reads the fields of an Image or a LabeledImage.
func (c *connector) image(o object) (err error) {
	c.kind, c.dtype = kindImage, "uint8"
	if err := o.decode("dtype", &c.dtype); err != nil {
		return err
	}
	if c.shape, err = shapeOf(o); err != nil {
		return err
	}
	var label object // of a LabeledImage
	if err := o.decode("label", &label); err != nil {
		return err
	}
	if err := label.decodeClasses(c); err != nil {
		return err
	}
	return o.decode("encodingFormat", &c.format)
}

// decodeClasses decodes the number of classes of a label, which may be missing.
func (o object) decodeClasses(c *connector) error {
	var classes number
	err := o.decode("numClasses", &classes)
	c.classes = int(classes)
	return err
}

// dict reads the features of a FeaturesDict.
func (c *connector) dict(o object, depth int) error {
	c.kind, c.fields = kindDict, map[string]*connector{}
	if inner := o.get("features"); inner != nil && !isConnector(inner) {
		var features object
		if err := json.Unmarshal(inner, &features); err != nil {
			return err
		}
		o = features
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		field, err := parseConnector(o[name], depth+1)
		if err != nil {
			return fmt.Errorf("feature %q: %w", name, err)
		}
		c.fields[name] = field
	}
	return nil
}

// isConnector reports whether b is a feature called "features", not the member of that name.
func isConnector(b []byte) bool {
	var o struct {
		Type  string `json:"type"`
		Class string `json:"pythonClassName"`
	}
	return json.Unmarshal(b, &o) == nil && o.Type+o.Class != ""
}

// translation reads a Translation: one text per language; or with variable languages, a sequence of
// languages and texts.
func (c *connector) translation(o object) error {
	var variable bool
	var languages []string
	if err := o.decode("variableLanguagesPerExample", &variable); err != nil {
		return err
	}
	if err := o.decode("languages", &languages); err != nil {
		return err
	}
	text := &connector{class: "Text", kind: kindTensor, dtype: "string"}
	if variable || c.class == "TranslationVariableLanguages" {
		c.kind, c.length = kindSequence, unknown
		c.inner = &connector{class: "FeaturesDict", kind: kindDict, fields: map[string]*connector{"language": text, "translation": text}}
		return nil
	}
	c.kind, c.fields = kindDict, map[string]*connector{}
	for _, l := range languages {
		c.fields[l] = text
	}
	return nil
}

// shapeOf parses a shape: {"dimensions": ["-1", "2"]}, or [null, 2].
func shapeOf(o object) ([]int, error) {
	b := o.get("shape")
	if b == nil {
		return nil, nil
	}
	var message struct {
		Dimensions []*number `json:"dimensions"`
	}
	dims := &message.Dimensions
	var err error
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '[' {
		err = json.Unmarshal(b, dims)
	} else {
		err = json.Unmarshal(b, &message)
	}
	if err != nil {
		return nil, fmt.Errorf("shape: %w", err)
	}
	shape := []int{}
	for _, d := range *dims {
		n := unknown
		if d != nil {
			if n = int(*d); int64(n) != int64(*d) || n < unknown {
				return nil, fmt.Errorf("shape: invalid dimension %d", *d)
			}
		}
		shape = append(shape, n)
	}
	return shape, nil
}

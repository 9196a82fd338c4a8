package tfds

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/tensor"
)

// Tree returns the features of a features.json in the form of repr in Python, on several lines.
func Tree(b []byte) (string, error) {
	root, err := parseConnector(b, 0)
	if err != nil {
		return "", fmt.Errorf("tfds: %s: %w", FeaturesFile, err)
	}
	return root.text(), nil
}

// text returns the repr of the connector.
func (c *connector) text() string {
	switch {
	case c.kind == kindDict && c.class == "FeaturesDict" || len(c.fields) > 0:
		var s strings.Builder
		s.WriteString(c.class + "({\n")
		for _, name := range slices.Sorted(maps.Keys(c.fields)) {
			fmt.Fprintf(&s, "    %s: %s,\n", pythonString(name), strings.ReplaceAll(c.fields[name].innerText(), "\n", "\n    "))
		}
		return s.String() + "})"
	case c.kind == kindSequence:
		inner := c.inner.innerText()
		if rest, ok := strings.CutPrefix(inner, "FeaturesDict("); ok {
			inner = strings.TrimSuffix(rest, ")")
		}
		return c.class + "(" + inner + ")"
	case c.kind == kindOther:
		return c.class + "()"
	}
	text := fmt.Sprintf("%s(shape=%s, dtype=%s", c.class, pythonShape(c.shape), c.dtype)
	if c.class == "ClassLabel" || c.class == "LabeledImage" {
		text += ", num_classes=" + strconv.Itoa(c.classes)
	}
	return text + ")"
}

// innerText returns the repr of a connector inside another one: of a scalar Tensor it is the dtype alone.
func (c *connector) innerText() string {
	if c.class == "Tensor" && len(c.shape) == 0 {
		return c.dtype
	}
	return c.text()
}

func pythonString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(s) + "'"
}

// pythonShape returns a shape as a tuple of Python.
func pythonShape(shape []int) string {
	var dims []string
	for _, d := range shape {
		if d == unknown {
			dims = append(dims, "None")
		} else {
			dims = append(dims, strconv.Itoa(d))
		}
	}
	if len(dims) == 1 {
		return "(" + dims[0] + ",)"
	}
	return "(" + strings.Join(dims, ", ") + ")"
}

// A Column describes how TensorFlow Datasets converts the values of a column after parsing.
type Column struct {
	DType   tensor.DType // Bool or Uint64: the type of int64 values; else Invalid
	Labels  string       // of a ClassLabel: name of the file with the names of classes; else ""
	Classes int          // of a ClassLabel: number of classes; 0 if unknown
	Shape   []int        // shape of a row with exactly one unknown dimension (-1), not the first; else nil

	// A tensor with several unknown dimensions has the columns NAME/value and NAME/shape.
	Name   string // NAME for the column NAME/value, which prints under that name; else ""
	Hidden bool   // true for the column NAME/shape, which TensorFlow Datasets drops
}

// Columns returns the columns of a features.json that TensorFlow Datasets converts after parsing, by their names in [Spec].
func Columns(b []byte) (map[string]Column, error) {
	root, err := parseConnector(b, 0)
	if err != nil {
		return nil, fmt.Errorf("tfds: %s: %w", FeaturesFile, err)
	}
	all := map[string]Column{}
	root.addColumns(all, nil, nil)
	return all, nil
}

// addColumns adds the columns of a connector. path has the keys of the dicts around it, outer the lengths of the Sequences
// around it.
func (c *connector) addColumns(all map[string]Column, path []string, outer []int) {
	for name, field := range c.fields {
		field.addColumns(all, append(slices.Clip(path), name), outer)
	}
	if c.inner != nil {
		c.inner.addColumns(all, path, append(slices.Clip(outer), c.length))
	}
	if name := strings.Join(path, "/"); c.kind == kindTensor && count(c.shape) > 1 && encodedTensor(name, c, outer) != nil {
		all[name+"/value"], all[name+"/shape"] = Column{Name: name}, Column{Hidden: true}
	}
	if c.kind != kindTensor || len(path) == 0 || c.encoding != "" && !strings.EqualFold(c.encoding, "none") {
		return
	}
	var column Column
	switch {
	case c.class == "ClassLabel":
		last := len(path) - 1
		parent := strings.ReplaceAll(strings.Join(path[:last], "-"), "/", "-")
		column.Classes = c.classes
		column.Labels = strings.TrimPrefix(parent+"-", "-") + strings.ReplaceAll(path[last], "/", ".") + ".labels.txt"
	case c.dtype == "bool":
		column.DType = tensor.Bool
	case c.dtype == "uint64":
		column.DType = tensor.Uint64
	}
	if full := slices.Concat(outer, c.shape); count(full) == 1 && full[0] != unknown && len(outer) < 2 {
		column.Shape = full
	}
	if column.DType != tensor.Invalid || column.Labels != "" || column.Shape != nil {
		all[strings.Join(path, "/")] = column
	}
}

// ParseLabels returns the names of classes in a file *.labels.txt. The index of a name is the number of its class.
func ParseLabels(b []byte) (names []string) {
	for line := range strings.SplitSeq(string(b), "\n") {
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	return names
}

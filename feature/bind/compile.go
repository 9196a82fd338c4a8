package bind

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/feature"
)

// codec is a Codec without its type parameter.
type codec struct {
	typ    reflect.Type
	parser *feature.Parser
	fields []*field      // in the order of the parser's columns
	parts  [4]partFields // by feature.Group
	states sync.Pool     // *codecState: reused memory
}

// partFields are the struct fields of one [feature.Group].
type partFields struct {
	path   string   // path of the struct that contains them; "" for T itself
	index  []int    // reflect index of the list of examples; nil for other parts
	fields []*field // sorted by name
	keys   []key    // sorted by name
}

// field is one compiled field of the struct.
type field struct {
	group     feature.Group // group in the spec: that of the part called parent, or InFeatures
	parent    string        // path of the struct for its part of the record; "" for T itself
	path      string        // path within parent
	name      string        // name of the feature
	key       string        // key of its values
	tag       tag           // options of the feature; errors quote its text
	typ       reflect.Type  // declared Go type, with any pointer, slices and arrays
	index     []int         // reflect index within T, or within an element of the list of examples
	partIndex int           // index in partFields.fields
	shape
}

// compiler collects the fields of a struct type and their errors.
type compiler struct {
	*codec
	spec   feature.Spec // of the fields so far
	byName map[featureName]*field
	errs   []error
}

// featureName identifies a feature of the spec.
type featureName struct {
	group feature.Group
	name  string
}

// compile returns the codec of a struct type.
func compile(t reflect.Type, opts *feature.ParserOptions) (*codec, error) {
	c := compiler{codec: &codec{typ: t}, byName: map[featureName]*field{}}
	if t.Kind() != reflect.Struct {
		return nil, &TypeError{Type: t, Err: errors.New("want a struct")}
	}
	c.addFields(t, feature.InFeatures, "", "", nil)
	if len(c.byName) == 0 && len(c.errs) == 0 {
		c.addError("", "", errors.New("no field has a tag"))
	}
	if len(c.errs) == 0 { // the spec is complete
		p, err := feature.NewParser(c.spec, opts)
		c.parser = p
		c.addSpecErrors(err)
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	for f := range maps.Values(c.byName) {
		c.fields = append(c.fields, f)
	}
	slices.SortFunc(c.fields, func(x, y *field) int {
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.name, y.name))
	})
	for _, f := range c.fields {
		g := &c.parts[f.group]
		f.partIndex = len(g.fields)
		g.fields = append(g.fields, f)
	}
	for g := range c.parts {
		c.parts[g].keys = keysOf(c.parts[g].fields)
	}
	return c.codec, nil
}

// addSpecErrors adds the errors of the spec and names the fields that they concern.
func (c *compiler) addSpecErrors(err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			c.addSpecErrors(e)
		}
		return
	}
	if err == nil {
		return
	}
	var se *feature.SpecError
	if errors.As(err, &se) && !se.Whole {
		if f := c.byName[featureName{se.Group, se.Feature}]; f != nil {
			c.addError(f.fieldPath(-1), f.tag.text, err)
			return
		}
	}
	c.addError("", "", err)
}

func (c *compiler) addError(path, tag string, err error) {
	c.errs = append(c.errs, &TypeError{Type: c.typ, Field: path, Tag: tag, Err: err})
}

// addFields compiles the fields of a struct: of T, of an embedded struct, or of the field called part,
// which is a part of the record. path is the prefix of the field paths within part.
func (c *compiler) addFields(t reflect.Type, g feature.Group, part, path string, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		here := path + sf.Name
		text, tagged := sf.Tag.Lookup(tagKey)
		embedded := sf.Anonymous && sf.Type.Kind() == reflect.Struct
		f := &field{group: g, parent: part, path: here, typ: sf.Type, index: append(slices.Clone(index), i)}
		fail := func(err error) { c.addError(f.fieldPath(-1), text, err) }
		switch {
		case text == "-":
			continue
		case embedded && !tagged:
			c.addFields(sf.Type, g, part, here+".", f.index)
			continue
		case !tagged && sf.Anonymous && sf.Type.Kind() == reflect.Pointer && sf.Type.Elem().Kind() == reflect.Struct:
			fail(errors.New(`embedded pointer: embed the struct itself, or omit the field with tfparse:"-"`))
			continue
		case !sf.IsExported() && !embedded:
			if tagged {
				fail(errors.New("the field is not exported, so it cannot be set"))
			}
			continue
		case !tagged:
			fail(errors.New(`no tag: name a feature, or omit the field with tfparse:"-"`))
			continue
		}
		tag, errs := parseTag(text)
		for _, err := range errs {
			fail(err)
		}
		f.tag = tag
		switch {
		case len(errs) > 0:
		case tag.group != feature.InFeatures:
			c.addPart(f, fail)
		default:
			c.addField(f, fail)
		}
	}
}

// addPart compiles the fields of a part of the record.
func (c *compiler) addPart(f *field, fail func(error)) {
	g, t, want := f.tag.group, f.typ, "a struct"
	if g == feature.InExamples {
		want = "a slice of structs"
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
	}
	switch {
	case t.Kind() != reflect.Struct || g == feature.InExamples && t == f.typ:
		fail(fmt.Errorf("%v is %v: want %s", g, f.typ, want))
		return
	case f.group != feature.InFeatures:
		fail(fmt.Errorf("%v inside %v: parts of a record cannot be nested", g, f.group))
		return
	case f.tag.named || len(f.tag.options) > 1:
		fail(fmt.Errorf("record parts take no name and no options: want ,%v", g))
		return
	case g == feature.InExamples && c.parts[g].path != "":
		fail(fmt.Errorf("field %s is already the list of examples", c.parts[g].path))
		return
	}
	index := f.index
	if g == feature.InExamples {
		c.parts[g].index, index = f.index, nil
	}
	c.parts[g].path = f.path
	before := len(c.byName) + len(c.errs)
	c.addFields(t, g, f.path, "", index)
	if len(c.byName)+len(c.errs) == before {
		fail(errors.New("the part has no fields with a tag"))
	}
}

// addField compiles a field that is a feature.
func (c *compiler) addField(f *field, fail func(error)) {
	if !f.tag.named {
		fail(errors.New("the tag has no name"))
		return
	}
	f.name, f.key = f.tag.name, f.tag.name
	s, err := describeType(f.typ)
	if err != nil {
		fail(err)
		return
	}
	spec, errs := s.toFeature(f.group, f.tag)
	for _, err := range errs {
		fail(err)
	}
	f.shape = s
	if r, ok := spec.(feature.Ragged); ok && r.ValueKey != "" {
		f.key = r.ValueKey
	}
	o := featureName{f.group, f.name}
	if other := c.byName[o]; other != nil {
		fail(fmt.Errorf("feature %s is already field %s", strconv.Quote(f.name), other.fieldPath(-1)))
		return
	}
	c.byName[o] = f
	if len(errs) == 0 {
		m := c.spec.Group(f.group)
		if *m == nil {
			*m = feature.Features{}
		}
		(*m)[f.name] = spec
	}
}

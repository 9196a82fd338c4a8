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

// A codec is a compiled struct type: a Codec without its type parameter.
type codec struct {
	typ    reflect.Type
	parser *feature.Parser
	fields []*field // in the order of the parser's columns
	groups [4]group // by feature.Group
	states sync.Pool
}

// A group is the fields of one map of the spec.
type group struct {
	path   string // the field that is the part of the record; "" for the struct itself
	index  []int  // of that field, if it is a list of examples
	fields []*field
	keys   []key
}

// A field is a compiled field of the struct.
type field struct {
	group  feature.Group
	part   string // path of the part of the record it stands in; "" for the struct itself
	path   string // from there
	name   string // of the feature
	key    string // of its values
	tag    tag
	typ    reflect.Type
	index  []int // from the struct; from the element of a list of examples
	number int   // among the fields of the group
	shape
}

// A compiler collects the fields of a struct type, and what is wrong with them.
type compiler struct {
	*codec
	spec   feature.Spec
	owners map[owner]*field
	errs   []error
}

// An owner is the name of a feature in a group.
type owner struct {
	group feature.Group
	name  string
}

// compile makes the codec of a struct type.
func compile(t reflect.Type, opts *feature.ParserOptions) (*codec, error) {
	c := compiler{codec: &codec{typ: t}, owners: map[owner]*field{}}
	if t.Kind() != reflect.Struct {
		return nil, &TypeError{Type: t, Err: errors.New("want a struct")}
	}
	c.walk(t, feature.InFeatures, "", "", nil)
	if len(c.owners) == 0 && len(c.errs) == 0 {
		c.fail("", "", errors.New("no field has a tag"))
	}
	if len(c.errs) == 0 { // else the spec is only half of what is meant
		p, err := feature.NewParser(c.spec, opts)
		c.parser = p
		c.specErrors(err)
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	for f := range maps.Values(c.owners) {
		c.fields = append(c.fields, f)
	}
	slices.SortFunc(c.fields, func(x, y *field) int {
		return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.name, y.name))
	})
	for _, f := range c.fields {
		g := &c.groups[f.group]
		f.number = len(g.fields)
		g.fields = append(g.fields, f)
	}
	for g := range c.groups {
		c.groups[g].keys = keysOf(c.groups[g].fields)
	}
	return c.codec, nil
}

// specErrors takes over what the parser finds wrong with the spec.
func (c *compiler) specErrors(err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			c.specErrors(e)
		}
		return
	}
	if err == nil {
		return
	}
	var se *feature.SpecError
	if errors.As(err, &se) && !se.Whole {
		if f := c.owners[owner{se.Group, se.Feature}]; f != nil {
			c.fail(f.at(-1), f.tag.text, err)
			return
		}
	}
	c.fail("", "", err)
}

func (c *compiler) fail(path, tag string, err error) {
	c.errs = append(c.errs, &TypeError{Type: c.typ, Field: path, Tag: tag, Err: err})
}

// walk takes the fields of a struct: of the whole one, of one that is embedded, or
// of a part of the record, which is the field part. Paths of fields begin there.
func (c *compiler) walk(t reflect.Type, g feature.Group, part, path string, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		here := path + sf.Name
		text, tagged := sf.Tag.Lookup(tagKey)
		embedded := sf.Anonymous && sf.Type.Kind() == reflect.Struct
		f := &field{group: g, part: part, path: here, typ: sf.Type, index: append(slices.Clone(index), i)}
		fail := func(err error) { c.fail(f.at(-1), text, err) }
		switch {
		case text == "-":
			continue
		case embedded && !tagged:
			c.walk(sf.Type, g, part, here+".", f.index)
			continue
		case !tagged && sf.Anonymous && sf.Type.Kind() == reflect.Pointer && sf.Type.Elem().Kind() == reflect.Struct:
			fail(errors.New(`an embedded pointer: embed the struct itself, or leave it out with tfparse:"-"`))
			continue
		case !sf.IsExported() && !embedded:
			if tagged {
				fail(errors.New("the field is not exported: it cannot be set"))
			}
			continue
		case !tagged:
			fail(errors.New(`no tag: name a feature, or leave the field out with tfparse:"-"`))
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
			c.part(f, fail)
		default:
			c.field(f, fail)
		}
	}
}

// part takes the fields of a part of the record.
func (c *compiler) part(f *field, fail func(error)) {
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
		fail(fmt.Errorf("%v inside %v: a record has its parts side by side", g, f.group))
		return
	case f.tag.named || len(f.tag.options) > 1:
		fail(fmt.Errorf("a part of the record has neither name nor other options: want ,%v", g))
		return
	case g == feature.InExamples && c.groups[g].path != "":
		fail(fmt.Errorf("field %s is the list of examples already", c.groups[g].path))
		return
	}
	index := f.index
	if g == feature.InExamples {
		c.groups[g].index, index = f.index, nil
	}
	c.groups[g].path = f.path
	before := len(c.owners) + len(c.errs)
	c.walk(t, g, f.path, "", index)
	if len(c.owners)+len(c.errs) == before {
		fail(errors.New("the part has no fields with a tag"))
	}
}

// field takes a field that is a feature.
func (c *compiler) field(f *field, fail func(error)) {
	if !f.tag.named {
		fail(errors.New("the tag has no name"))
		return
	}
	f.name, f.key = f.tag.name, f.tag.name
	s, err := describe(f.typ)
	if err != nil {
		fail(err)
		return
	}
	spec, errs := s.feature(f.group, f.tag)
	for _, err := range errs {
		fail(err)
	}
	f.shape = s
	if r, ok := spec.(feature.Ragged); ok && r.ValueKey != "" {
		f.key = r.ValueKey
	}
	o := owner{f.group, f.name}
	if other := c.owners[o]; other != nil {
		fail(fmt.Errorf("feature %s is field %s already", strconv.Quote(f.name), other.at(-1)))
		return
	}
	c.owners[o] = f
	if len(errs) == 0 {
		m := c.spec.Group(f.group)
		if *m == nil {
			*m = feature.Features{}
		}
		(*m)[f.name] = spec
	}
}

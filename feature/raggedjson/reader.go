package raggedjson

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Reader reads lines that AppendRow printed, one row each, and makes a batch of them.
// Not safe for concurrent use.
type Reader struct {
	parser *feature.Parser                        // has the spec of the rows, and assembles the batches
	stores []store                                // in the order of the columns of the parser
	groups [feature.InExamples + 1][]int          // by group: indices in stores
	byName [feature.InExamples + 1]map[string]int // by group: indices in stores, by name
	rows   int                                    // number of rows

	c       jsonscan.Cursor // the current line
	unit    uint64          // ordinal of the current unit
	part    string          // for errors: Path.Part
	feature string          // for errors: Path.Feature
	path    []int           // for errors: the indices of nested lists
	name    []byte          // buffer: a decoded name
	text    []byte          // buffer: a decoded string
}

// NewReader returns a Reader for rows of the parser's spec.
func NewReader(parser *feature.Parser) *Reader {
	r := &Reader{parser: parser}
	for g := range r.byName {
		r.byName[g] = map[string]int{}
	}
	for _, c := range parser.NewBatch().Columns().All() {
		g := c.Group()
		s := newStore(c)
		s.place = len(r.groups[g])
		r.byName[g][c.Name()] = len(r.stores)
		r.groups[g] = append(r.groups[g], len(r.stores))
		r.stores = append(r.stores, s)
	}
	return r
}

// Len returns the number of rows read since Reset.
func (r *Reader) Len() int { return r.rows }

// Size returns the size of the values read since Reset, in bytes.
func (r *Reader) Size() int {
	n := 0
	for i := range r.stores {
		s := &r.stores[i]
		n += 8*len(s.ints) + 4*len(s.floats) + len(s.text) + 24*len(s.ends) + 8*len(s.index)
	}
	return n
}

// Reset removes all rows. Earlier batches become invalid.
func (r *Reader) Reset() {
	r.rows = 0
	for i := range r.stores {
		r.stores[i].reset()
	}
}

// Batch returns a batch of the rows read so far. It shares memory with the Reader.
func (r *Reader) Batch() (*feature.Batch, error) {
	table := feature.Table{}
	for g, columns := range []*map[string]feature.Column{&table.Features, &table.Context, &table.Sequence, &table.Examples} {
		*columns = map[string]feature.Column{}
		for _, k := range r.groups[g] {
			c, err := r.stores[k].column(r.rows)
			if err != nil {
				return nil, err
			}
			(*columns)[r.stores[k].name] = c
		}
	}
	return r.parser.Assemble(table)
}

// Append reads one line. If it fails, it adds no row; the error is a [*recordjson.Error].
// The line is not retained.
func (r *Reader) Append(line []byte) error {
	r.c = jsonscan.NewCursor(line)
	r.part, r.feature, r.path = "", "", r.path[:0]
	err := r.row()
	if err != nil || !r.c.Done() {
		for i := range r.stores {
			r.stores[i].rollback()
		}
		if column, err := jsonscan.CheckLine(line); err != nil {
			return &recordjson.Error{Column: column, Path: example.PathTo("", ""), Err: err} // a syntax error precedes any later error
		}
		if err == nil {
			err = r.failf("line cannot be read")
		}
		return err
	}
	for i := range r.stores {
		r.stores[i].commit()
	}
	r.rows++
	return nil
}

func (r *Reader) row() error {
	if r.c.Peek() != '{' {
		return jsonscan.ErrGrammar
	}
	if r.parser.Message() == example.TypeExample {
		return r.features(feature.InFeatures, true)
	}
	var seen [feature.InExamples + 1]bool
	r.c.Open()
	for r.c.More('}') {
		at := r.c
		name, ok := r.c.Name()
		if !ok {
			r.c = at
			return r.failf("escape of half a surrogate pair is not Unicode")
		}
		if jsonscan.IsPosition(name) {
			if err := r.position(name); err != nil {
				return err
			}
			continue
		}
		g, ok := r.group(string(name))
		if !ok || seen[g] {
			r.c = at
			if ok {
				return r.failf("member %q is given twice", name)
			}
			return r.failf("member %q is not part of the spec%s", name, batchHint(name))
		}
		seen[g] = true
		if err := r.members(g); err != nil {
			return err
		}
	}
	for g := range seen {
		if len(r.groups[g]) > 0 && !seen[g] {
			if err := r.missing(feature.Group(g)); err != nil {
				return err
			}
		}
	}
	return nil
}

// batchHint explains the error for input that is a batch, whose first member is "rows".
func batchHint(name []byte) string {
	if string(name) != "rows" {
		return ""
	}
	return " (a batch of tensors cannot be read: its padding hides where rows end)"
}

// group returns the group of a member. A line may have all groups of its message type, even
// groups without features in the spec.
func (r *Reader) group(name string) (feature.Group, bool) {
	groups := []feature.Group{feature.InContext, feature.InSequence}
	if r.parser.Message() == example.TypeExampleList {
		groups[1] = feature.InExamples
	}
	for _, g := range groups {
		if g.String() == name {
			return g, true
		}
	}
	return 0, false
}

// members reads the features of one group.
func (r *Reader) members(g feature.Group) error {
	r.part = g.String()
	defer func() { r.part = "" }()
	if g != feature.InExamples {
		if r.c.Peek() != '{' {
			return r.failf("want an object of features")
		}
		return r.features(g, false)
	}
	if r.c.Peek() != '[' {
		return r.failf("want a list of examples")
	}
	r.c.Open()
	n := 0
	for ; r.c.More(']'); n++ {
		r.part = "examples[" + strconv.Itoa(n) + "]"
		if r.c.Peek() != '{' {
			return r.failf("want an object of features")
		}
		if err := r.features(g, false); err != nil {
			return err
		}
	}
	r.units(g, n)
	return nil
}

// units ends a row of n units in each column of a group.
func (r *Reader) units(g feature.Group, n int) {
	for _, k := range r.groups[g] {
		r.stores[k].end(0, n)
	}
}

// missing adds a row that lacks a group.
func (r *Reader) missing(g feature.Group) error {
	if g == feature.InExamples {
		r.units(g, 0)
		return nil
	}
	r.part = g.String()
	defer func() { r.part = "" }()
	r.unit++
	return r.rest(g)
}

// features reads an object of features. At the top level of a line it may contain position
// members.
func (r *Reader) features(g feature.Group, top bool) error {
	r.unit++
	next := 0 // index of the expected feature in the group: AppendRow prints them in this order
	r.c.Open()
	for r.c.More('}') {
		at := r.c
		var k int
		if next < len(r.groups[g]) && r.c.Member(r.stores[r.groups[g][next]].quoted) {
			k = r.groups[g][next]
		} else {
			printed, ok := r.c.Name()
			if !ok {
				r.c = at
				return r.failf("escape of half a surrogate pair is not Unicode")
			}
			if top && jsonscan.IsPosition(printed) {
				if err := r.position(printed); err != nil {
					return err
				}
				continue
			}
			name, err := jsonscan.DecodeName(r.name[:0], printed)
			if err != nil {
				r.c = at
				return r.fail(err)
			}
			if k, ok = r.byName[g][string(name)]; !ok {
				r.c = at
				return r.failf("the spec has no feature %q%s", name, batchHint(name))
			}
		}
		s := &r.stores[k]
		next = s.place + 1
		if s.seen == r.unit {
			r.c = at
			return r.failf("feature %q is given twice", s.name)
		}
		s.seen = r.unit
		r.feature = s.name
		level := s.first
		if g == feature.InSequence {
			level = 0
		}
		if err := r.items(s, level); err != nil {
			return err
		}
		r.feature = ""
	}
	return r.rest(g)
}

// rest adds the features of a group that the unit lacks.
func (r *Reader) rest(g feature.Group) error {
	for _, k := range r.groups[g] {
		s := &r.stores[k]
		if s.seen == r.unit {
			continue
		}
		ok := true
		if g != feature.InSequence {
			ok = s.absent()
		} else if ok = !s.required; ok {
			s.end(0, 0)
		}
		if !ok {
			r.feature = s.name
			return r.failf("feature is missing and has no default")
		}
	}
	return nil
}

// position skips the value of a position member.
func (r *Reader) position(name []byte) error {
	if r.c.Peek() == '[' || r.c.Peek() == '{' {
		return r.failf("%s is a record position; write the feature as %s", name, jsonscan.AppendTopName(nil, name))
	}
	r.c.Skip()
	return nil
}

// fail adds the position of the cursor and the current feature to an error.
func (r *Reader) fail(err error) error {
	return &recordjson.Error{Column: r.c.Column(), Path: example.PathTo(r.part, r.feature), Nested: slices.Clone(r.path), Err: err}
}

func (r *Reader) failf(format string, args ...any) error {
	if len(args) == 0 {
		return r.fail(errors.New(format))
	}
	return r.fail(fmt.Errorf(format, args...))
}

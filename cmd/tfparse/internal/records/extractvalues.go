package records

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
)

// A valueGroup has the values of a feature in a record, in a step of a feature list, or in an example of an
// ExampleListWithContext.
type valueGroup struct {
	suffix string   // of the names of the files: "-" and the index of the step or example; "" for a feature of the record
	values [][]byte // copies, since a record is lent
}

// groupsOf returns the values of the feature in a record: those of the record or its context or, if it has none, those of the steps
// or examples, without the empty ones.
func (x *extract) groupsOf(rec scan.Record) (groups []valueGroup, err error) {
	add := func(suffix string, f example.Feature) error {
		kind, err := x.values.Read(f)
		if err == nil && kind != example.Unset && kind != example.BytesList {
			err = &example.Error{Path: example.PathTo("", ""), Err: example.ErrKind, Want: example.BytesList.String(), Got: kind.String()}
		}
		if err != nil || len(x.values.Strings) == 0 {
			return err
		}
		group := valueGroup{suffix: suffix}
		for _, v := range x.values.Strings {
			group.values = append(group.values, slices.Clone(v))
		}
		groups = append(groups, group)
		return nil
	}
	f, ok, err := rec.Type.Lookup(rec.Bytes, x.feature)
	if err == nil && ok {
		err = addPath(add("", f), x.feature, "", -1, 0)
	}
	switch {
	case err != nil || groups != nil:
	case rec.Type == example.TypeSequence:
		err = x.eachStep(rec.Bytes, add)
	case rec.Type == example.TypeExampleList:
		err = x.eachExample(rec.Bytes, add)
	}
	return groups, err
}

// eachStep calls add for each step of the feature list.
func (x *extract) eachStep(rec []byte, add func(string, example.Feature) error) error {
	lists, err := example.CollectFeatureLists(nil, rec)
	if err != nil {
		return err
	}
	for _, list := range lists {
		if string(list.Name) != x.feature {
			continue
		}
		s := list.List.Scan()
		for s.Next() {
			if err := add(fmt.Sprintf("-%d", s.Index()), s.Feature()); err != nil {
				return addPath(err, x.feature, "feature_lists", s.Index(), 0)
			}
		}
		if err := s.Err(); err != nil {
			return addPath(err, x.feature, "feature_lists", -1, 0)
		}
	}
	return nil
}

// eachExample calls add for the feature of each example of an ExampleListWithContext.
func (x *extract) eachExample(rec []byte, add func(string, example.Feature) error) error {
	s := example.ScanExamples(rec)
	for s.Next() {
		f, ok, err := example.TypeExample.Lookup(s.Example(), x.feature)
		if err == nil && ok {
			err = add(fmt.Sprintf("-%d", s.Index()), f)
		}
		if err != nil {
			return addPath(err, x.feature, fmt.Sprintf("examples[%d]", s.Index()), -1, s.Offset())
		}
	}
	return s.Err()
}

// addPath adds the feature, the part, the step and the offset of the part to an error, which may be nil.
func addPath(err error, feature, part string, step, offset int) error {
	if e, ok := errors.AsType[*example.Error](err); ok {
		if e.Feature == "" {
			e.Feature = feature
		}
		if e.Step < 0 {
			e.Step = step
		}
		if part != "" {
			e.Enclose(part, offset)
		}
	}
	return err
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
)

// specVar defines --spec.
func specVar(fs *pflag.FlagSet, p *string, usage string) {
	fs.StringVar(p, "spec", "", usage)
	fs.SetAnnotation("spec", filesNote, nil)
}

// A specError is a spec that makes no sense. Every fault is a message of its own.
type specError struct {
	name   string
	faults []error
}

func (e *specError) Error() string { return fmt.Sprintf("%s: %v", e.name, errors.Join(e.faults...)) }

// messages returns the faults, each with the name of the spec.
func (e *specError) messages() []string {
	all := make([]string, len(e.faults))
	for i, fault := range e.faults {
		all[i] = fmt.Sprintf("%s: %v", e.name, fault)
	}
	return all
}

// badSpec makes a specError of all that an error joins.
func badSpec(name string, err error) error {
	e := &specError{name: name}
	var add func(err error)
	add = func(err error) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range joined.Unwrap() {
				add(err)
			}
			return
		}
		e.faults = append(e.faults, err)
	}
	add(err)
	return e
}

// readSpec reads a spec: JSON, or a schema or a parser configuration of
// TensorFlow's as text or binary. The name says which, or else the content.
func readSpec(name string) (feature.Spec, error) {
	var spec feature.Spec
	b, err := readFile(name)
	if err != nil {
		return spec, badSpec(name, err)
	}
	isJSON := bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{"))
	switch filepath.Ext(name) {
	case ".json":
		isJSON = true
	case ".pbtxt", ".pb":
		isJSON = false
	}
	if isJSON {
		if err := spec.UnmarshalJSON(b); err != nil {
			return spec, badSpec(name, err)
		}
		return spec, nil
	}
	if spec, err = featurepb.FromSchema(b); err == nil {
		return spec, nil
	}
	if spec, err := featurepb.FromParserConfig(b); err == nil {
		return spec, nil
	}
	return spec, badSpec(name, err)
}

// newParser reads a spec and compiles what is selected of it; nil is all.
func newParser(name string, selected []string, opts *feature.ParserOptions) (*feature.Parser, error) {
	spec, err := readSpec(name)
	if err != nil {
		return nil, err
	}
	if selected != nil {
		if spec, err = selectFeatures(spec, selected); err != nil {
			return nil, err
		}
	}
	parser, err := feature.NewParser(spec, opts)
	if err != nil {
		return nil, badSpec(name, err)
	}
	return parser, nil
}

// selectFeatures returns the part of a spec that has the features of some names, as
// they are printed.
func selectFeatures(spec feature.Spec, names []string) (feature.Spec, error) {
	chosen := feature.Spec{}
	if spec.Examples != nil {
		chosen.Examples = feature.Features{}
	}
	for _, printed := range names {
		name, err := recordjson.ParseName(printed)
		if err != nil {
			return chosen, usageError{err}
		}
		found := false
		for g, features := range spec.Groups() {
			f, ok := features[name]
			if !ok {
				continue
			}
			found = true
			into := chosen.Group(g)
			if *into == nil {
				*into = feature.Features{}
			}
			(*into)[name] = f
		}
		if !found {
			var names []string
			for _, features := range spec.Groups() {
				names = slices.AppendSeq(names, maps.Keys(features))
			}
			return chosen, usagef("--select: the spec has no feature %q%s", printed, isIt(name, names))
		}
	}
	return chosen, nil
}

// checkType refuses a type that is not the message of a parser.
func checkType(t recordjson.Type, parser *feature.Parser) error {
	if want := recordjson.TypeOf(parser.Message()); t != recordjson.Auto && t != want {
		return usagef("--type %s: the spec is for records of type %s", t, want)
	}
	return nil
}

package view

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
)

// An UnknownFeatureError is the error of a condition that no record meets, and that names features which no record has:
// the names are misspelled.
type UnknownFeatureError struct {
	Names []string // in the order of the condition
}

// Error names the first feature.
func (e *UnknownFeatureError) Error() string {
	return fmt.Sprintf("no record that was read has a feature %q", e.Names[0])
}

// A nameSearch looks for the names of a condition in the records of a search. Once all are found, a record costs one
// comparison. Several goroutines may call look.
type nameSearch struct {
	names []searchedName
	left  atomic.Int32 // number of names that were not found yet
}

// A searchedName is a name in a condition.
type searchedName struct {
	name  string
	list  bool        // of a feature list, or of a feature of examples
	found atomic.Bool // a record has it
}

// init begins a search for the names of a condition, which may be nil.
func (s *nameSearch) init(where *expr.Filter) {
	if where == nil {
		return
	}
	features, lists := where.Features()
	s.names = make([]searchedName, len(features)+len(lists))
	for i, name := range slices.Concat(features, lists) {
		s.names[i].name, s.names[i].list = name, i >= len(features)
	}
	s.left.Store(int32(len(s.names)))
}

// look searches a record.
func (s *nameSearch) look(kind example.MessageType, msg []byte) {
	if s.left.Load() == 0 {
		return
	}
	for i := range s.names {
		n := &s.names[i]
		if !n.found.Load() && hasFeature(kind, msg, n.name, n.list) && n.found.CompareAndSwap(false, true) {
			s.left.Add(-1)
		}
	}
}

// missing returns the names that no record had.
func (s *nameSearch) missing() (names []string) {
	for i := range s.names {
		if n := &s.names[i]; !n.found.Load() && !slices.Contains(names, n.name) {
			names = append(names, n.name)
		}
	}
	return names
}

// hasFeature reports whether a record has a feature, with or without values.
func hasFeature(kind example.MessageType, msg []byte, name string, list bool) bool {
	switch {
	case !list:
		_, ok, _ := kind.Lookup(msg, name)
		return ok
	case kind == example.TypeSequence:
		_, ok := collectLists(msg).lookUp(name)
		return ok
	case kind == example.TypeExampleList:
		for s := example.ScanExamples(msg); s.Next(); {
			if _, ok, _ := example.TypeExample.Lookup(s.Example(), name); ok {
				return true
			}
		}
	}
	return false
}

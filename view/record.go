package view

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// Limits of one record in an answer. Counts say how much more there is.
const (
	maxFeatures = 2_000 // features of one message
	maxSteps    = 1_000 // steps of a feature list
	maxExamples = 200   // examples of an ExampleListWithContext
)

// A recordAnswer is a record as JSON.
type recordAnswer struct {
	File         int              `json:"file"`
	Name         string           `json:"name"` // of the file
	Record       int64            `json:"record"`
	Offset       int64            `json:"offset"`
	Bytes        int              `json:"bytes"`
	Address      string           `json:"address"` // as the command line has it: FILE#N
	Error        *string          `json:"error"`   // why the record, or its end, is not shown
	Skipped      *skippedAnswer   `json:"skipped"`
	Type         string           `json:"type"`
	Features     []featureAnswer  `json:"features"`
	More         int              `json:"more,omitempty"` // number of features beyond maxFeatures
	Lists        []listAnswer     `json:"lists,omitempty"`
	Examples     []exampleAnswer  `json:"examples,omitempty"`
	ExampleCount int              `json:"exampleCount,omitempty"`
	Columns      []columnAnswer   `json:"columns"`
	Fault        *string          `json:"fault"` // why the record does not fit the spec
	Boxes        map[string][]box `json:"boxes"` // by ID of the image
}

// A skippedAnswer is a skipped range as JSON.
type skippedAnswer struct {
	Offset  int64 `json:"offset"`
	Bytes   int64 `json:"bytes"`   // -1: up to the end of the file
	Records int64 `json:"records"` // -1: unknown
}

// A listAnswer is a feature list as JSON.
type listAnswer struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Kind   string          `json:"kind"`
	Steps  int             `json:"steps"`
	Shown  int             `json:"shown"`
	Values []featureAnswer `json:"values"` // the first steps
	Error  string          `json:"error,omitempty"`
}

// An exampleAnswer is an example of an ExampleListWithContext as JSON.
type exampleAnswer struct {
	Features []featureAnswer  `json:"features"`
	More     int              `json:"more,omitempty"`
	Error    string           `json:"error,omitempty"`
	Boxes    map[string][]box `json:"boxes,omitempty"`
}

// A nameMerger collects the entries of a map, each name once. Unlike [example.MessageType.Collect] it has a limit, and keeps
// what is before a fault.
type nameMerger[T interface{ Replace(earlier T) (T, error) }] struct {
	entries []namedEntry[T]
	index   map[string]int // index in entries by name
	more    int            // number of entries beyond maxFeatures
	err     error          // the first fault of an entry that a later one replaces
}

// A namedEntry is a feature, or a feature list, with its name.
type namedEntry[T any] struct {
	name  string
	value T
}

// add adds an entry, which replaces an earlier one of the name.
func (m *nameMerger[T]) add(name []byte, v T) {
	if i, ok := m.index[string(name)]; ok {
		v, err := v.Replace(m.entries[i].value)
		m.entries[i].value, m.err = v, cmp.Or(m.err, err)
		return
	}
	if len(m.entries) == maxFeatures {
		m.more++
		return
	}
	if m.index == nil {
		m.index = map[string]int{}
	}
	m.index[string(name)] = len(m.entries)
	m.entries = append(m.entries, namedEntry[T]{string(name), v})
}

// finish sorts the entries by name. err is that of the scanner.
func (m *nameMerger[T]) finish(err error) {
	m.err = cmp.Or(err, m.err)
	slices.SortFunc(m.entries, func(a, b namedEntry[T]) int { return cmp.Compare(a.name, b.name) })
}

// messageFeatures are the features of one message, or of one map of it, sorted by name.
type messageFeatures struct {
	nameMerger[example.Feature]
	group string
}

// collectFeatures reads the features of a message, up to a fault.
func collectFeatures(group string, s example.Scanner) *messageFeatures {
	m := &messageFeatures{group: group}
	for s.Next() {
		m.add(s.Name(), s.Feature())
	}
	m.finish(s.Err())
	return m
}

// topFeatures reads the features of an Example, or those of the context of another message.
func (h *Handler) topFeatures(msg []byte) *messageFeatures {
	switch h.kind {
	case example.TypeExample:
		return collectFeatures(groupFeatures, h.kind.Scan(msg))
	case example.TypeSequence, example.TypeExampleList:
		return collectFeatures(groupContext, h.kind.Scan(msg))
	}
	return &messageFeatures{}
}

// collectLists reads the feature lists of a SequenceExample, up to a fault.
func collectLists(msg []byte) *nameMerger[example.FeatureList] {
	m := &nameMerger[example.FeatureList]{}
	s := example.ScanFeatureLists(msg)
	for s.Next() {
		m.add(s.Name(), s.List())
	}
	m.finish(s.Err())
	return m
}

// lookUp returns an entry by name.
func (m *nameMerger[T]) lookUp(name string) (v T, ok bool) {
	i, ok := slices.BinarySearchFunc(m.entries, name, func(e namedEntry[T], name string) int { return cmp.Compare(e.name, name) })
	if ok {
		v = m.entries[i].value
	}
	return v, ok
}

// answerFeatures describes the features of a message. p is the place of the message, without the feature.
func (h *Handler) answerFeatures(m *messageFeatures, p valuePlace, q *quota) []featureAnswer {
	answers := make([]featureAnswer, 0, len(m.entries))
	for i, e := range m.entries {
		if q.isSpent() {
			m.more += len(m.entries) - i
			break
		}
		p.group, p.name = m.group, e.name
		a := describeFeature(e.value, p, h.opts.Classes[e.name], q)
		if v, ok := a.Values.([]bytesAnswer); ok {
			for i := range v {
				if _, ok := m.rawShape(e.name, v[i].Bytes); ok && v[i].Picture == "" && !v[i].isText() && !v[i].Image {
					p.value = i
					v[i].Picture = p.href("api/picture")
				}
			}
		}
		answers = append(answers, a)
	}
	return answers
}

// errorText returns the text of an error for JSON, nil without an error.
func errorText(err error) *string {
	if err == nil {
		return nil
	}
	text := visibleText(err.Error())
	return &text
}

func newSkippedAnswer(r row) *skippedAnswer {
	if r.skipped == nil {
		return nil
	}
	s := &skippedAnswer{Offset: r.skipped.Begin, Bytes: -1, Records: r.skipped.Records}
	if r.skipped.End >= 0 {
		s.Bytes = r.skipped.End - r.skipped.Begin
	}
	return s
}

// answerRecord describes a record, or the damage in its place.
func (h *Handler) answerRecord(file int, r row) *recordAnswer {
	name := visibleText(h.files[file].name)
	a := &recordAnswer{File: file, Name: name, Record: r.number, Offset: r.offset, Bytes: len(r.data), Address: fmt.Sprintf("%s#%d", name, r.number),
		Error: errorText(r.err), Skipped: newSkippedAnswer(r), Type: h.kind.String(), Features: []featureAnswer{}, Columns: []columnAnswer{}, Boxes: map[string][]box{}}
	if r.err != nil {
		return a
	}
	q := newQuota()
	p := valuePlace{file: file, record: r.number, step: -1, example: -1}
	err := error(nil)
	switch h.kind {
	case example.TypeExample:
	case example.TypeSequence:
		a.Lists, err = h.answerLists(r.data, p, q)
	case example.TypeExampleList:
		a.Examples, a.ExampleCount, err = h.answerExamples(r.data, p, q)
	default:
		err = fmt.Errorf("records of type %s are not decoded", h.kind)
	}
	m := h.topFeatures(r.data)
	a.Features = h.answerFeatures(m, p, q)
	a.More = m.more
	a.Error = errorText(cmp.Or(m.err, err))
	a.Boxes = h.findBoxes(m, q)
	if h.parser != nil {
		columns, err := h.answerColumns(r.data, p, q)
		if err != nil {
			a.Fault = errorText(fmt.Errorf("does not fit the spec: %w", err))
		}
		a.Columns = append(a.Columns, columns...)
	}
	return a
}

func (h *Handler) answerLists(msg []byte, p valuePlace, q *quota) ([]listAnswer, error) {
	lists := collectLists(msg)
	if lists.more > 0 && lists.err == nil {
		lists.err = fmt.Errorf("%d more feature lists are not shown", lists.more)
	}
	answers := make([]listAnswer, 0, len(lists.entries))
	for _, e := range lists.entries {
		p.group, p.name = groupLists, e.name
		a := listAnswer{ID: featureID(groupLists, e.name), Name: visibleText(e.name), Kind: kindName(example.Unset), Values: []featureAnswer{}}
		s := e.value.Scan()
		for ; s.Next(); a.Steps++ {
			if kind := s.Feature().Kind(); a.Steps < maxSteps && a.Kind == kindName(example.Unset) {
				a.Kind = kindName(kind)
			}
			if p.step = a.Steps; a.Steps < maxSteps && !q.isSpent() {
				a.Values = append(a.Values, describeFeature(s.Feature(), p, h.opts.Classes[e.name], q))
			}
		}
		if a.Shown = len(a.Values); s.Err() != nil {
			a.Error = visibleText(s.Err().Error())
		}
		answers = append(answers, a)
	}
	return answers, lists.err
}

func (h *Handler) answerExamples(msg []byte, p valuePlace, q *quota) (answers []exampleAnswer, n int, err error) {
	s := example.ScanExamples(msg)
	for ; s.Next(); n++ {
		if n >= maxExamples {
			continue
		}
		p.example = n
		m := collectFeatures(groupExamples, example.TypeExample.Scan(s.Example()))
		a := exampleAnswer{Features: h.answerFeatures(m, p, q), Boxes: h.findBoxes(m, q)}
		if a.More = m.more; m.err != nil {
			a.Error = visibleText(m.err.Error())
		}
		answers = append(answers, a)
	}
	return answers, n, s.Err()
}

// serveRecord answers with one record.
func (h *Handler) serveRecord(w http.ResponseWriter, r *http.Request) error {
	file, rec, err := h.requestRecord(r)
	if err != nil {
		return err
	}
	return writeJSON(w, h.answerRecord(file, rec))
}

// requestRecord reads the record that a request names.
func (h *Handler) requestRecord(r *http.Request) (file int, rec row, err error) {
	f, err1 := intParam(r, "file", 0)
	number, err2 := intParam(r, "record", -1)
	if err := cmp.Or(err1, err2); err != nil {
		return 0, row{}, err
	}
	file = int(min(f, math.MaxInt32))
	rec, err = h.readRecord(r.Context(), file, number)
	return file, rec, err
}

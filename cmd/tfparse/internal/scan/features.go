package scan

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/protomessage"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/tfmessage"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/namelist"
)

// Parts of a message. The features of an Example are in InContext.
const (
	InContext = 1 << iota
	InLists   // feature lists, or examples of an ExampleListWithContext
)

// suggestRecords is the number of records whose names are suggested for a misspelled name.
const suggestRecords = 64

// A FeatureSearch looks for the features that a flag names in the records that a verb reads. If no record has a
// feature, its name is misspelled. Once all names are found, a record costs one comparison. Several goroutines may call
// Look. A nil FeatureSearch looks for nothing.
type FeatureSearch struct {
	flag    string                      // flag that names the features
	order   []*searchedName             // all names, in the order of Add
	parts   [2]map[string]*searchedName // names by part: context, lists
	pattern []*searchedName             // patterns, in any part
	missing atomic.Int32                // number of names that were not found yet

	looked  atomic.Int32        // number of records that Look searched
	mu      sync.Mutex          // guards typ and present
	typ     example.MessageType // type of the first records
	present map[string]bool     // names in the first suggestRecords records

	held error // first error of a record, until all names are found; see Hold

	// Early is called with a message for each name that none of the first 64 records has. It may be nil.
	Early func(text string)
}

// A searchedName is a name, or a pattern of --select or --drop.
type searchedName struct {
	namelist.Item
	flag  string      // flag with the name
	where int         // parts of a message to search
	found atomic.Bool // a record has it
}

// NewFeatureSearch returns a FeatureSearch for the names of a flag.
func NewFeatureSearch(flag string) *FeatureSearch {
	return &FeatureSearch{flag: flag, parts: [2]map[string]*searchedName{{}, {}}, present: map[string]bool{}}
}

// Add adds names to search in parts of the messages. It ignores a name that all the parts have.
func (s *FeatureSearch) Add(where int, names ...string) {
	for _, name := range names {
		n := &searchedName{Item: namelist.Item{Text: name}, flag: s.flag, where: where}
		added := false
		for i := range s.parts {
			if where>>i&1 == 1 && s.parts[i][name] == nil {
				s.parts[i][name], added = n, true
			}
		}
		if added {
			s.order = append(s.order, n)
			s.missing.Add(1)
		}
	}
}

// AddList adds the names and patterns of --select and --drop for all parts. The list may be nil.
func (s *FeatureSearch) AddList(l *namelist.List) {
	for _, item := range l.All() {
		s.AddItem(item)
	}
}

// AddItem adds an item of a list.
func (s *FeatureSearch) AddItem(item *namelist.Item) {
	before := len(s.order)
	if !item.Pattern {
		s.Add(InContext|InLists, item.Text)
	} else {
		n := &searchedName{Item: *item, where: InContext | InLists}
		s.order, s.pattern = append(s.order, n), append(s.pattern, n)
		s.missing.Add(1)
	}
	for _, n := range s.order[before:] {
		n.flag = FlagOf(item)
	}
}

// Missing reports whether a name was not found yet.
func (s *FeatureSearch) Missing() bool { return s != nil && s.missing.Load() > 0 }

// Look searches a record. In a record that does not decode it finds the names before the fault.
func (s *FeatureSearch) Look(t example.MessageType, rec []byte) {
	if !s.Missing() || t >= example.TypeRaw {
		return
	}
	looked := s.looked.Add(1)
	first := looked <= suggestRecords
	if first {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.typ = t
	}
	eachName(t, rec, func(part int, name []byte) { s.addName(part, name, first) })
	if looked == suggestRecords && s.Early != nil {
		for _, text := range s.messagesFor(fmt.Sprintf("none of the first %d records has a ", suggestRecords)) {
			s.Early(text)
		}
	}
}

// addName marks a name in a part of a message as found. It keeps the names of the first records.
func (s *FeatureSearch) addName(part int, name []byte, first bool) {
	if n := s.parts[part][string(name)]; n != nil && n.found.CompareAndSwap(false, true) {
		s.missing.Add(-1)
	}
	for _, n := range s.pattern {
		if !n.found.Load() && n.Matches(name) && n.found.CompareAndSwap(false, true) {
			s.missing.Add(-1)
		}
	}
	if first {
		s.present[string(name)] = true
	}
}

// LookAtColumns marks the columns of CSV inputs as found, even if they have no values.
func (s *FeatureSearch) LookAtColumns(in []Input) {
	for _, i := range in {
		if !s.Missing() || i.Table == nil {
			continue
		}
		s.mu.Lock()
		for _, name := range i.Table.Columns() {
			s.addName(0, []byte(name), true)
		}
		s.mu.Unlock()
	}
}

// Hold keeps the first error of a record while names are missing, and returns nil for it: a misspelled name is another
// error. After that it returns errors as they are. Hold and Held are for one goroutine.
func (s *FeatureSearch) Hold(err error) error {
	if err == nil || !s.Missing() {
		return err
	}
	if s.held == nil {
		s.held = err
	}
	return nil
}

// Held reports whether Hold keeps an error, in which case records need not be processed. It returns the error once all
// names are found.
func (s *FeatureSearch) Held() (held bool, err error) {
	if s == nil || s.held == nil || s.Missing() {
		return s != nil && s.held != nil, nil
	}
	return true, s.held
}

// Texts returns a message for each name that no record had. It returns none if no record was read.
func (s *FeatureSearch) Texts() []string {
	if s == nil || s.looked.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messagesFor("no record that was read has a ")
}

// messagesFor returns a message for each missing name. The messages begin with text.
func (s *FeatureSearch) messagesFor(text string) (all []string) {
	for _, n := range s.order {
		if n.found.Load() {
			continue
		}
		what := "feature %q"
		switch {
		case s.typ == example.TypeExampleList && n.where == InLists:
			what = "feature %q in its examples"
		case n.where == InLists:
			what = "feature list %q"
		case s.typ != example.TypeExample && n.where == InContext:
			what = "feature %q in its context"
		}
		near := n.Question(slices.Collect(maps.Keys(s.present)))
		if strings.Contains(near, fmt.Sprintf("%q", n.Text)) {
			near = "" // the name is in another part
		}
		all = append(all, text+fmt.Sprintf(what+", which %s names", n.Text, n.flag)+near)
	}
	return all
}

// AddMissingFeatures defines --allow-missing-features.
func (r *Flags) AddMissingFeatures(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		fs.BoolVar(&r.allowMissingFeatures, "allow-missing-features", false, "only warn about features that no record has")
	})
}

// MissingFeaturesAllowed reports whether names in flags may be missing from all records: with --allow-missing-features,
// or if other machines read other records.
func (r *Flags) MissingFeaturesAllowed() bool { return r.allowMissingFeatures || r.shard.Count > 1 }

// MissingFeatures handles texts, a message for each name in flags that no record has. They are a usage error, so that
// nothing is written. For a verb that only prints they are warnings, with exit code 1. If missing names are allowed
// they are only warnings.
func (r *Flags) MissingFeatures(e *cli.Env, prints bool, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	if !prints && !r.MissingFeaturesAllowed() {
		return cli.UsageErrors(texts)
	}
	for _, text := range texts {
		e.Console.Print(text)
	}
	if !r.MissingFeaturesAllowed() {
		e.Raise(cli.ExitNegative)
	}
	return nil
}

// WhereVar defines --where.
func WhereVar(fs *pflag.FlagSet, p *string) {
	fs.StringVar(p, "where", "", "only records for which `EXPR` is true")
}

// An Expression is a compiled --where.
type Expression struct {
	filter        *expr.Filter
	proto         *protomessage.Filter // filter for the message of --proto; nil: the expression is about features
	other         [typeCount - TypePredictionLog]otherFilter
	FeatureSearch *FeatureSearch // features that the expression names

	and *Expression // an expression that must select the record too; may be nil
}

// An otherFilter is an expression about the messages of a type from TypePredictionLog on.
type otherFilter struct {
	filter *tfmessage.Filter
	err    error // the message does not have the fields; filter is nil
}

// checkType returns an error if the expression cannot be about records of a type.
func (x *Expression) checkType(t example.MessageType) error {
	for ; x != nil && t >= example.TypeRaw && x.proto == nil; x = x.and {
		if t == example.TypeRaw {
			return noFeaturesError(t)
		}
		if err := x.other[t-TypePredictionLog].err; err != nil {
			return cli.Usagef("%s: %w", x.FeatureSearch.flag, err)
		}
	}
	return nil
}

// intersect returns an expression that selects the records that both expressions select. Either may be nil.
func intersect(x, and *Expression) *Expression {
	if x == nil || and == nil {
		return cmp.Or(x, and)
	}
	sum := *x
	sum.and = and
	return &sum
}

// CompileWhere compiles an expression. flag names the flag or position of the expression in messages.
func CompileWhere(flag, text string) (*Expression, error) {
	f, err := expr.Compile(text)
	if e, ok := errors.AsType[*expr.SyntaxError](err); ok {
		return nil, cli.Usagef("%s: column %d: %s", flag, e.Column, e.Message)
	} else if err != nil {
		return nil, err
	}
	x := &Expression{filter: f, FeatureSearch: NewFeatureSearch(flag)}
	features, lists := f.Features()
	x.FeatureSearch.Add(InContext, features...)
	x.FeatureSearch.Add(InLists, lists...)
	for i, message := range [len(x.other)]tfmessage.Message{tfmessage.PredictionLog, tfmessage.Event, tfmessage.TensorProto} {
		x.other[i].filter, x.other[i].err = tfmessage.NewFilter(message, f)
	}
	return x, nil
}

// match reports whether the expression selects a record.
func (x *Expression) match(t example.MessageType, rec []byte) (bool, error) {
	x.FeatureSearch.Look(t, rec)
	if x.and != nil {
		if ok, err := x.and.match(t, rec); !ok || err != nil {
			return false, err
		}
	}
	if x.proto != nil {
		return x.proto.Match(rec)
	}
	if t >= TypePredictionLog {
		return x.other[t-TypePredictionLog].filter.Match(rec)
	}
	return x.filter.Match(t, rec)
}

// searches returns the FeatureSearches of the expression and the intersected ones.
func (x *Expression) searches() (all []*FeatureSearch) {
	for ; x != nil; x = x.and {
		all = append(all, x.FeatureSearch)
	}
	return all
}

// Values are the values of one feature. At most one slice has elements.
type Values struct {
	Ints    []int64   // of an int64_list
	Floats  []float32 // of a float_list
	Strings [][]byte  // of a bytes_list: views of the record
}

// Lookup reads the values of a feature of an Example or of the context. A missing feature has the kind Unset and no values.
func (v *Values) Lookup(t example.MessageType, rec []byte, name string) (kind example.Kind, err error) {
	v.Ints, v.Floats, v.Strings = v.Ints[:0], v.Floats[:0], v.Strings[:0]
	f, ok, err := t.Lookup(rec, name)
	if err != nil || !ok {
		return example.Unset, err
	}
	kind, err = v.Read(f)
	if e, ok := errors.AsType[*example.Error](err); ok && e.Feature == "" {
		e.Feature = name
	}
	return kind, err
}

// Read reads the values of a feature. Errors do not name the feature.
func (v *Values) Read(f example.Feature) (kind example.Kind, err error) {
	v.Ints, v.Floats, v.Strings = v.Ints[:0], v.Floats[:0], v.Strings[:0]
	switch kind = f.Kind(); kind {
	case example.Unset:
	case example.Int64List:
		v.Ints, err = f.AppendInt64s(v.Ints)
	case example.FloatList:
		v.Floats, err = f.AppendFloats(v.Floats)
	case example.BytesList:
		v.Strings, err = f.AppendBytes(v.Strings)
	default:
		err = f.Validate()
	}
	return kind, err
}

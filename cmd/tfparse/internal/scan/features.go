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
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/namelist"
)

// Parts of a message in which features are looked for. Those of an Example are its context.
const (
	InContext = 1 << iota
	InLists   // feature lists, or examples of an ExampleListWithContext
)

// suggestRecords is how many records are looked at for names that a misspelled one may stand for.
const suggestRecords = 64

// A Sought looks for features that a flag names, in the records that a verb reads: a name that none of them has is
// misspelled. While all names were found, a record costs one comparison. Look may be called by several goroutines; a
// nil Sought looks for nothing.
type Sought struct {
	flag    string // that names the features
	order   []*soughtName
	parts   [2]map[string]*soughtName // of the context, of the lists
	pattern []*soughtName             // those that are patterns, in any part
	missing atomic.Int32              // names that were not found yet

	looked atomic.Int32 // records, while names were missing
	mu     sync.Mutex
	typ    example.MessageType // of the last of the first records
	there  map[string]bool     // names in the first records

	held error // of a record without one of the features, until it is known whether any record has them

	// Early is called with a sentence for each name that none of the first 64 records has. May be nil.
	Early func(text string)
}

// A soughtName is one of the names, or a pattern of --select or --drop.
type soughtName struct {
	namelist.Item
	flag  string // that has it
	where int    // the parts of a message that it is looked for in
	found atomic.Bool
}

// NewSought returns a Sought for the names of a flag.
func NewSought(flag string) *Sought {
	return &Sought{flag: flag, parts: [2]map[string]*soughtName{{}, {}}, there: map[string]bool{}}
}

// Add adds names that are looked for in parts of the messages. A name is in each part once.
func (s *Sought) Add(where int, names ...string) {
	for _, name := range names {
		n := &soughtName{Item: namelist.Item{Text: name}, flag: s.flag, where: where}
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

// AddList adds the names and patterns of --select and --drop, which may be in any part of a message. A nil list has none.
func (s *Sought) AddList(l *namelist.List) {
	for _, item := range l.All() {
		s.AddItem(item)
	}
}

// AddItem adds an item of a list.
func (s *Sought) AddItem(item *namelist.Item) {
	before := len(s.order)
	if !item.Pattern {
		s.Add(InContext|InLists, item.Text)
	} else {
		n := &soughtName{Item: *item, where: InContext | InLists}
		s.order, s.pattern = append(s.order, n), append(s.pattern, n)
		s.missing.Add(1)
	}
	for _, n := range s.order[before:] {
		n.flag = FlagOf(item)
	}
}

// Missing reports whether a name was not found yet.
func (s *Sought) Missing() bool { return s != nil && s.missing.Load() > 0 }

// Look looks for the names in a record. A record that does not decode has those in front of the fault.
func (s *Sought) Look(t example.MessageType, rec []byte) {
	if !s.Missing() || t == example.TypeRaw {
		return
	}
	looked := s.looked.Add(1)
	first := looked <= suggestRecords
	if first {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.typ = t
	}
	eachName(t, rec, func(part int, name []byte) { s.see(part, name, first) })
	if looked == suggestRecords && s.Early != nil {
		for _, text := range s.sentences(fmt.Sprintf("none of the first %d records has a ", suggestRecords)) {
			s.Early(text)
		}
	}
}

// see notes that a part of a message has a name. The names of the first records are kept.
func (s *Sought) see(part int, name []byte, first bool) {
	if n := s.parts[part][string(name)]; n != nil && n.found.CompareAndSwap(false, true) {
		s.missing.Add(-1)
	}
	for _, n := range s.pattern {
		if !n.found.Load() && n.Matches(name) && n.found.CompareAndSwap(false, true) {
			s.missing.Add(-1)
		}
	}
	if first {
		s.there[string(name)] = true
	}
}

// LookAtColumns takes the columns of inputs that are CSV as found, with or without values.
func (s *Sought) LookAtColumns(in []Input) {
	for _, i := range in {
		if !s.Missing() || i.Table == nil {
			continue
		}
		s.mu.Lock()
		for _, name := range i.Table.Columns() {
			s.see(0, []byte(name), true)
		}
		s.mu.Unlock()
	}
}

// Hold keeps the first error of a record without one of the features back, while no record had it: the name may be misspelled,
// which is another error. Hold and Held are for one goroutine.
func (s *Sought) Hold(err error) error {
	if err == nil || !s.Missing() {
		return err
	}
	if s.held == nil {
		s.held = err
	}
	return nil
}

// Held reports whether an error is kept back, and returns it once all names were found. Other records need not be
// worked on until then.
func (s *Sought) Held() (held bool, err error) {
	if s == nil || s.held == nil || s.Missing() {
		return s != nil && s.held != nil, nil
	}
	return true, s.held
}

// Texts are a sentence for each name that no record had, if there was a record.
func (s *Sought) Texts() []string {
	if s == nil || s.looked.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sentences("no record that was read has a ")
}

// sentences are one for each name that was not found, which begins with text.
func (s *Sought) sentences(text string) (all []string) {
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
		near := n.Question(slices.Collect(maps.Keys(s.there)))
		if strings.Contains(near, fmt.Sprintf("%q", n.Text)) {
			near = "" // it is in another part of the message
		}
		all = append(all, text+fmt.Sprintf(what+", which %s names", n.Text, n.flag)+near)
	}
	return all
}

// AddMissingFeatures defines --allow-missing-features, for verbs with flags that name features.
func (r *Flags) AddMissingFeatures(fs *pflag.FlagSet) {
	inGroup(fs, func(fs *pflag.FlagSet) {
		fs.BoolVar(&r.allowMissingFeatures, "allow-missing-features", false, "only warn about features that no record has")
	})
}

// MissingFeaturesAllowed reports whether a name on the command line may be missing from all records: the flag says so, or other
// machines read records that may have it.
func (r *Flags) MissingFeaturesAllowed() bool { return r.allowMissingFeatures || r.shard.Count > 1 }

// MissingFeatures deals with names on the command line that no record has: a sentence for each. They are an error of
// usage, so that nothing is written; where a verb only prints, a warning with the exit code of a negative answer.
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

// An Expression selects records.
type Expression struct {
	filter *expr.Filter
	Sought *Sought // the features that the expression names
	Others *Sought // those that another flag names; they need not be in records that are selected. May be nil

	and *Expression // must select a record too; nil: none
}

// both returns the expression that selects what both do; either may be nil.
func both(x, and *Expression) *Expression {
	if x == nil || and == nil {
		return cmp.Or(x, and)
	}
	sum := *x
	sum.and = and
	return &sum
}

// CompileWhere compiles an expression. what says where it stands.
func CompileWhere(what, text string) (*Expression, error) {
	f, err := expr.Compile(text)
	if e, ok := errors.AsType[*expr.SyntaxError](err); ok {
		return nil, cli.Usagef("%s: column %d: %s", what, e.Column, e.Message)
	} else if err != nil {
		return nil, err
	}
	x := &Expression{filter: f, Sought: NewSought(what)}
	features, lists := f.Features()
	x.Sought.Add(InContext, features...)
	x.Sought.Add(InLists, lists...)
	return x, nil
}

// match reports whether the expression selects a record.
func (x *Expression) match(t example.MessageType, rec []byte) (bool, error) {
	x.Sought.Look(t, rec)
	if x.and != nil {
		if ok, err := x.and.match(t, rec); !ok || err != nil {
			return false, err
		}
	}
	return x.filter.Match(t, rec)
}

// sought returns the features that the expression names, and those of the other one.
func (x *Expression) sought() (all []*Sought) {
	for ; x != nil; x = x.and {
		all = append(all, x.Sought)
	}
	return all
}

// MatchOf returns a function that reports whether the expression selects a record, for a type of messages.
func (x *Expression) MatchOf(t example.MessageType) func(rec []byte) (bool, error) {
	return func(rec []byte) (bool, error) {
		x.Sought.Look(t, rec)
		x.Others.Look(t, rec)
		return x.filter.Match(t, rec)
	}
}

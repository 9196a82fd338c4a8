package reading

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
)

// Parts of a message in which features are looked for. Those of an Example are its context.
const (
	InContext = 1 << iota
	InLists   // feature lists, or examples of an ExampleListWithContext
)

// suggestRecords is how many records are looked at for names that a misspelled one may stand for.
const suggestRecords = 64

// A Sought warns about names of features on the command line that no record has, as a misspelled one. Without it
// tfparse project --drop usr would keep the feature user and say nothing. While all names were found, a record costs
// one comparison. Look may be called by several goroutines; a nil Sought looks for nothing.
type Sought struct {
	flag    string
	order   []*soughtName
	parts   [2]map[string]*soughtName // of the context, of the lists
	missing atomic.Int32

	looked atomic.Int32 // records, while names were missing
	mu     sync.Mutex
	typ    example.MessageType
	there  map[string]bool // names in the first records
}

type soughtName struct {
	name  string
	where int
	found atomic.Bool
}

// NewSought returns a Sought for the names of a flag.
func NewSought(flag string) *Sought {
	return &Sought{flag: flag, parts: [2]map[string]*soughtName{{}, {}}, there: map[string]bool{}}
}

// Add adds names that are looked for in parts of the messages.
func (s *Sought) Add(where int, names ...string) {
	for _, name := range names {
		n := &soughtName{name: name, where: where}
		s.order = append(s.order, n)
		for i := range s.parts {
			if where>>i&1 == 1 {
				s.parts[i][name] = n
			}
		}
		s.missing.Add(1)
	}
}

// Look looks for the names in a record. A record that does not decode has those in front of the fault.
func (s *Sought) Look(t example.MessageType, rec []byte) {
	if s == nil || s.missing.Load() == 0 {
		return
	}
	first := s.looked.Add(1) <= suggestRecords
	if first {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.typ = t
	}
	see := func(part int, name []byte) {
		if n := s.parts[part][string(name)]; n != nil && n.found.CompareAndSwap(false, true) {
			s.missing.Add(-1)
		}
		if first {
			s.there[string(name)] = true
		}
	}
	features := func(part int, scan example.Scanner) {
		for scan.Next() {
			see(part, scan.Name())
		}
	}
	switch t {
	case example.TypeExample:
		features(0, example.Scan(rec))
	case example.TypeSequence:
		features(0, example.ScanContext(rec))
		for scan := example.ScanFeatureLists(rec); scan.Next(); {
			see(1, scan.Name())
		}
	case example.TypeExampleList:
		scan := example.ScanExamples(rec)
		for scan.Next() {
			features(1, example.Scan(scan.Example()))
		}
		if context, ok := scan.Context(); ok {
			features(0, example.Scan(context))
		}
	}
}

// Warn prints a warning for each name that no record had, if there was a record.
func (s *Sought) Warn(c *console.Console) {
	for _, text := range s.texts() {
		c.Print(text)
	}
}

// Err returns an error about the first name that no record had, if there was a record.
func (s *Sought) Err() error {
	if texts := s.texts(); len(texts) > 0 {
		return errors.New(texts[0])
	}
	return nil
}

// texts are a sentence for each name that no record had.
func (s *Sought) texts() (all []string) {
	if s == nil || s.looked.Load() == 0 {
		return nil
	}
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
		text := fmt.Sprintf("no record that was read has a "+what+", which %s names", n.name, s.flag)
		near := cli.Suggest(n.name, slices.Collect(maps.Keys(s.there)))
		if strings.Contains(near, fmt.Sprintf("%q", n.name)) {
			near = "" // it is in another part of the message
		}
		all = append(all, text+near)
	}
	return all
}

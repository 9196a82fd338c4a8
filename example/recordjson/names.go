package recordjson

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A names remembers the names of the features in one part of the messages, from
// line to line, and what is known of each.
type names struct {
	index map[string]int // by the name in the message
	known []known
	last  int // the feature before the one that is looked for; -1 for none
}

// A known is a feature of some line.
type known struct {
	quoted   string       // as the first line has it, with its quotes
	name     string       // in the message
	member   bool         // other messages have a member of that name
	position bool         // a position member has that name
	given    example.Kind // by the user, or Unset
	kinds    uint8        // a bit for each example.Kind that lines had
	object   uint64       // the last object that has it
	next     int          // the feature that followed last time; -1 for none
}

// maxNames bounds the names that are kept from line to line.
const maxNames = 1 << 14

// begin is called at the start of each line, and of each object.
func (n *names) begin(line bool) {
	if line && len(n.known) > maxNames {
		clear(n.index)
		n.known = n.known[:0]
	}
	n.last = -1
}

// expected returns the feature that the next one is expected to be, since most
// lines have the same names in the same order; -1 if none is.
func (n *names) expected() int {
	i := 0
	if n.last >= 0 {
		i = n.known[n.last].next
	}
	if i >= len(n.known) {
		return -1
	}
	return i
}

// learn adds a feature. quoted is what the line has.
func (n *names) learn(name, quoted string, given map[string]example.Kind) int {
	if n.index == nil {
		n.index = make(map[string]int)
	}
	i := len(n.known)
	member := name == "context" || name == "feature_lists" || name == "examples"
	n.known = append(n.known, known{
		name: name, quoted: quoted, given: given[name], member: member, position: jsonscan.IsPosition([]byte(name)), next: -1})
	n.index[name] = i
	return i
}

// follow notes that feature i came behind the last one.
func (n *names) follow(i int) {
	if n.last >= 0 {
		n.known[n.last].next = i
	}
	n.last = i
}

// A Sighting is a kind that a feature of a line has.
type Sighting struct {
	Part string // "", "context", "feature_lists" or "examples"
	Name string
	Kind example.Kind

	Named bool // by the line, in the typed form
}

// sighted notes that a feature has a kind, and keeps it if that is new.
func (e *Encoder) sighted(n *names, i int, kind example.Kind) {
	k := &n.known[i]
	if bit := uint8(1) << kind; kind != example.Unset && k.kinds&bit == 0 {
		k.kinds |= bit
		e.sightings = append(e.sightings, Sighting{e.partOf(n), k.name, kind, e.named})
	}
}

// partOf returns the part of the message whose names n are.
func (e *Encoder) partOf(n *names) string {
	switch {
	case n == &e.lists:
		return "feature_lists"
	case n == &e.examples:
		return "examples"
	}
	return e.part
}

// Sightings returns the kinds that features of the last line have and that no
// line before had, as far as the Encoder remembers; lent until the next Append.
func (e *Encoder) Sightings() []Sighting { return e.sightings }

// Forget takes back the sightings of the last line, which becomes no record after
// all: a later line that has the same kinds shows them again.
func (e *Encoder) Forget() {
	for _, s := range e.sightings {
		n := &e.features
		switch s.Part {
		case "feature_lists":
			n = &e.lists
		case "examples":
			n = &e.examples
		}
		n.known[n.index[s.Name]].kinds &^= 1 << s.Kind
	}
	e.sightings = e.sightings[:0]
}

package records

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// How many records are looked at for the names of --select before all are read: the same number as
// their type is found from.
const (
	selectRecords = 64
	selectBytes   = 4 << 20
)

// A selection warns of names of --select that no record has, as a misspelt one: once the
// first records are there, since to read all of a large file only to see nothing is what a
// person would be spared; and of the others at the end.
type selection struct {
	first   reading.FirstRecords
	there   map[string]bool // the features of the first records
	records int
	bytes   int
	warned  map[string]bool
}

// begin is called with the type of each file.
func (s *selection) begin(t example.MessageType) error {
	if s.first.Counted != nil || t == example.TypeRaw {
		return nil
	}
	s.there, s.warned = map[string]bool{}, map[string]bool{}
	return s.first.Type(t)
}

// add looks at a record, and warns when enough of them were seen.
func (s *selection) add(c *cat, rec []byte, pos tfrecord.Position) {
	if s.first.Counted == nil || s.records == selectRecords || s.bytes >= selectBytes {
		return
	}
	_ = s.first.Record(rec, pos) // one that is refused is reported when it is printed
	s.records++
	if s.bytes += len(rec); s.records < selectRecords && s.bytes < selectBytes {
		return
	}
	s.search()
	for _, printed := range c.printing.opts.Select {
		if name, _ := recordjson.ParseName(printed); !s.there[name] && !s.warned[name] {
			s.warned[name] = true
			s.warn(c, fmt.Sprintf("none of the first %s that were printed has", cli.Plural(int64(s.records), "record")), printed)
		}
	}
}

// search finds the names of the features in the records so far.
func (s *selection) search() {
	for _, path := range s.first.Counted.Features() {
		for _, step := range path {
			if !strings.HasPrefix(step, "##") { // what groups features
				s.there[step] = true
			}
		}
	}
}

// end warns of the names that no record has had.
func (s *selection) end(c *cat) {
	if s.first.Counted != nil {
		s.search()
	}
	for _, printed := range c.printing.opts.Select {
		name, _ := recordjson.ParseName(printed) // was found sound
		if _, ok := c.found.Load(name); !ok && !s.warned[name] {
			s.warn(c, "no record that was printed has", printed)
		}
	}
}

func (s *selection) warn(c *cat, which, printed string) {
	text := fmt.Sprintf("%s a feature %q, which --select names", which, printed)
	c.env.Console.Print(text + cli.Suggest(printed, slices.Collect(maps.Keys(s.there))))
}

package compare

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A jsonDifference is one record, or two, in the JSON form.
type jsonDifference struct {
	A       *recordPlace `json:"a"`
	B       *recordPlace `json:"b"`
	Key     *string      `json:"key,omitempty"`
	Changes []jsonChange `json:"changes,omitempty"`
}

// A recordPlace says where a record stands.
type recordPlace struct {
	File   jsonscan.Name `json:"file"`
	Record int64         `json:"record"`
}

type jsonChange struct {
	Part    *string         `json:"part"`
	Example *int            `json:"example,omitempty"`
	Name    json.RawMessage `json:"name"`
	Change  string          `json:"change"` // changed, only_a, only_b
	A       *string         `json:"a"`
	B       *string         `json:"b"`
}

// sideNames are A and B.
var sideNames = [2]string{"A", "B"}

// showOnly prints a record that only one side has.
func (c *diff) showOnly(side int, f found) error {
	if c.shown++; c.shown > int(c.limit) {
		return nil
	}
	if c.format == cli.FormatJSON {
		d := jsonDifference{A: &f.pos, Key: c.jsonKey(f)}
		if side == 1 {
			d.A, d.B = nil, &f.pos
		}
		return c.addJSON(d)
	}
	c.line("only in %s: %s%s", sideNames[side], address(f.pos), c.inBrackets(f))
	return c.out.Spill()
}

// showChanged prints two records with different content.
func (c *diff) showChanged(a, b found) error {
	if c.shown++; c.shown > int(c.limit) {
		return nil
	}
	if c.format == cli.FormatText {
		c.line("%s %s%s", address(a.pos), address(b.pos), c.inBrackets(a))
	}
	d := jsonDifference{A: &a.pos, B: &b.pos, Key: c.jsonKey(a), Changes: []jsonChange{}}
	if a.rec == nil || b.rec == nil {
		if c.format == cli.FormatText {
			c.line("  records that were not read again")
		}
	} else if _, _, err := c.here.two(a.typ, a.rec, b.typ, b.rec); err != nil {
		return err
	} else {
		c.here.changes(a.typ, b.typ, func(ch *change) {
			if c.format == cli.FormatText {
				c.line("  %s", ch.text())
			} else {
				d.Changes = append(d.Changes, ch.json())
			}
		})
	}
	if c.format == cli.FormatJSON {
		return c.addJSON(d)
	}
	return c.out.Spill()
}

// inBrackets is the key of a record behind its address.
func (c *diff) inBrackets(f found) string {
	if text := c.keyText(f); text != "" {
		return " (" + text + ")"
	}
	return ""
}

func (c *diff) jsonKey(f found) *string {
	text := c.keyText(f)
	return cli.Known(text, text != "")
}

func (c *diff) addJSON(d jsonDifference) error {
	if c.shown > 1 {
		c.out.Buf = append(c.out.Buf, ',')
	}
	c.out.Buf = cli.AppendJSON(c.out.Buf, d)
	return c.out.Spill()
}

func (c *diff) line(format string, args ...any) {
	c.out.Buf = fmt.Appendf(c.out.Buf, format+"\n", args...)
}

// address is a record as verbs take it.
func address(pos recordPlace) string {
	return fmt.Sprintf("%s#%d", console.OneLine(string(pos.File)), pos.Record)
}

// title is the feature that changed.
func (ch *change) title() string {
	switch ch.what {
	case aType:
		return "message"
	case aPayload:
		return "payload"
	case aNumber:
		return "examples"
	case noContext:
		return "context"
	}
	name := cli.FeatureName(string(ch.name))
	switch {
	case ch.example >= 0:
		return fmt.Sprintf("examples[%d]: %s", ch.example, name)
	case ch.part != summary.Top:
		return ch.part.String() + ": " + name
	}
	return name
}

// text is a change as a person reads it.
func (ch *change) text() string {
	if ch.has == [2]bool{true, true} {
		switch ch.what {
		case aFeature:
			v := ch.values()
			return "~ " + ch.title() + ": " + pairText(v[0], v[1])
		case aList:
			return "~ " + ch.title() + ": " + ch.listsText()
		}
	}
	a, b := ch.sides()
	switch {
	case !ch.has[1]:
		return "- " + strings.TrimSuffix(ch.title()+": "+a, ": ")
	case !ch.has[0]:
		return "+ " + strings.TrimSuffix(ch.title()+": "+b, ": ")
	}
	return "~ " + ch.title() + ": " + a + " -> " + b
}

func (ch *change) json() jsonChange {
	a, b := ch.sides()
	j := jsonChange{Part: cli.Known(ch.part.String(), ch.part != summary.Top), Example: cli.Known(ch.example, ch.example >= 0),
		Change: changeNames[boolIndex(ch.has[0])+2*boolIndex(ch.has[1])], A: cli.Known(a, ch.has[0]), B: cli.Known(b, ch.has[1])}
	switch ch.what {
	case aFeature, aList:
		j.Name = jsonscan.AppendName(nil, ch.name)
	default:
		j.Name = json.RawMessage("null")
	}
	return j
}

var changeNames = [4]string{1: "only_a", 2: "only_b", 3: "changed"}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

// printSums prints what was found in all.
func (c *diff) printSums() {
	r := &c.result
	if c.format == cli.FormatJSON {
		c.out.Buf = append(c.out.Buf, "],"...)
		text := cli.AppendJSON(nil, c.report())
		c.out.Buf = append(append(c.out.Buf, text[1:]...), '\n')
		return
	}
	if more := r.changed + r.only[0] + r.only[1] - min(int64(c.shown), int64(c.limit)); more > 0 && c.limit > 0 {
		c.line("and %s that differ; --limit prints them", cli.Plural(more, "more record"))
	}
	if c.shown > 0 && c.limit > 0 {
		c.line("")
	}
	switch {
	case !r.container.known:
		c.line("container: not compared: %s", console.OneLine(r.container.why))
	case r.container.same:
		c.line("container: same")
	default:
		c.line("container: differs: %s", console.OneLine(r.container.why))
	}
	switch {
	case r.sameRecords():
		c.line("records:   same: %s%s", cli.Plural(c.records[0], "record"), c.anyOrder())
	case r.sameContent() && r.reordered:
		c.line("records:   differ: some have other bytes")
	default:
		c.line("records:   differ: %d in A, %d in B%s", c.records[0], c.records[1], c.ofBytes())
	}
	if r.sameContent() {
		c.line("content:   same")
	} else {
		c.line("content:   differs: %d same, %d changed, %d only in A, %d only in B", r.same, r.changed, r.only[0], r.only[1])
	}
	if c.uncompared > 0 {
		c.line("not compared, as records were skipped: %d", c.uncompared)
	}
	c.printFeatures()
	for side, rep := range r.repeated {
		if rep.keys == 0 {
			continue
		}
		var first []string
		for _, pos := range rep.first {
			first = append(first, address(pos))
		}
		c.line("%s in %s more than once, in %s, as %s", cli.Plural(rep.keys, "key"), sideNames[side], cli.Plural(rep.records, "record"), strings.Join(first, ", "))
	}
	if c.keys == nil && r.changed > r.same && r.changed > 1 {
		c.line("most records differ: --by FEATURE compares records wherever they stand, and digest --unordered ignores their order")
	}
}

// ofBytes says how many records are the same bytes, where that was counted.
func (c *diff) ofBytes() string {
	if c.keys != nil {
		return ""
	}
	return fmt.Sprintf(", %d the same bytes", c.result.bytesSame)
}

// mostListed is how many features the text form lists.
const mostListed = 50

func (c *diff) printFeatures() {
	all := c.result.features.all()
	for i, s := range all {
		if i == mostListed {
			c.line("and %s; --format json has them", cli.Plural(int64(len(all)-i), "more feature"))
			break
		}
		var parts []string
		for _, p := range []struct {
			n    int64
			text string
		}{{s.changed, "changed"}, {s.only[0], "only in A"}, {s.only[1], "only in B"}} {
			if p.n > 0 {
				parts = append(parts, fmt.Sprintf("%s in %s", p.text, cli.Plural(p.n, "record")))
			}
		}
		ch := change{what: s.what, part: s.part, example: -1, name: []byte(s.name)}
		c.line("  %s: %s", ch.title(), strings.Join(parts, ", "))
	}
	if n := c.result.unsummed; n > 0 {
		c.line("not in these sums, as more than %d records have their key: %s", mostOfKey, cli.Plural(n, "changed record"))
	}
	if n := c.result.features.more; n > 0 {
		c.line("more features are not listed: %d times", n)
	}
}

// A diffReport is the end of the JSON form.
type diffReport struct {
	Same      bool           `json:"same"` // at the level
	Level     level          `json:"level"`
	Container *sameReport    `json:"container"` // null: not compared
	Records   sameReport     `json:"records"`
	Content   sameReport     `json:"content"`
	Counts    diffCounts     `json:"counts"`
	Features  []featureCount `json:"features"`
	More      int64          `json:"more_features"`
	Unsummed  int64          `json:"changed_not_in_features,omitempty"` // of keys with many records
	Repeated  *[2]keyReport  `json:"repeated_keys,omitempty"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

type sameReport struct {
	Same   bool   `json:"same"`
	Detail string `json:"detail,omitempty"`
}

type diffCounts struct {
	A          int64  `json:"a"`
	B          int64  `json:"b"`
	SameBytes  *int64 `json:"same_bytes"`
	Same       int64  `json:"same"`
	Changed    int64  `json:"changed"`
	OnlyA      int64  `json:"only_a"`
	OnlyB      int64  `json:"only_b"`
	Uncompared int64  `json:"not_compared"`
}

type featureCount struct {
	Part    *string         `json:"part"`
	Name    json.RawMessage `json:"name"`
	Changed int64           `json:"changed"`
	OnlyA   int64           `json:"only_a"`
	OnlyB   int64           `json:"only_b"`
}

type keyReport struct {
	Side    string        `json:"side"`
	Keys    int64         `json:"keys"`
	Records int64         `json:"records"`
	First   []recordPlace `json:"first"`
}

func (c *diff) report() diffReport {
	r := &c.result
	d := diffReport{
		Same: r.sameAt(c.level), Level: c.level,
		Container: cli.Known(sameReport{r.container.same, r.container.why}, r.container.known),
		Records:   sameReport{Same: r.sameRecords()}, Content: sameReport{Same: r.sameContent()},
		Counts:   diffCounts{c.records[0], c.records[1], cli.Known(r.bytesSame, c.keys == nil), r.same, r.changed, r.only[0], r.only[1], c.uncompared},
		Features: []featureCount{}, More: r.features.more, Unsummed: r.unsummed, PassedOver: cli.JSONNames(c.reading.PassedOver),
	}
	for _, s := range r.features.all() {
		f := featureCount{cli.Known(s.part.String(), s.part != summary.Top), jsonscan.AppendName(nil, []byte(s.name)), s.changed, s.only[0], s.only[1]}
		if s.what != aFeature && s.what != aList {
			f.Name = json.RawMessage("null")
		}
		d.Features = append(d.Features, f)
	}
	if c.keys != nil {
		d.Repeated = &[2]keyReport{}
		for side, rep := range r.repeated {
			d.Repeated[side] = keyReport{sideNames[side], rep.keys, rep.records, append([]recordPlace{}, rep.first...)}
		}
	}
	return d
}

// anyOrder says that the order of the records was not compared.
func (c *diff) anyOrder() string {
	if c.keys != nil && !c.result.container.same {
		return ", in any order"
	}
	return ""
}

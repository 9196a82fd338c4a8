package compare

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// sideNames are A and B.
var sideNames = [2]string{"A", "B"}

// showOnly prints a record that only one side has.
func (c *diff) showOnly(side int, r *pairedRecord) error {
	return c.show(func() (*recordDiff, error) {
		d := &recordDiff{}
		*[2]**recordPlace{&d.A, &d.B}[side] = &r.place
		if c.keys != nil {
			if err := c.here.setForm(0, r.typ, r.rec); err != nil {
				return nil, errChanged
			}
			key := c.here.keyText(0, r.typ, c.keys)
			d.Key = cli.Known(key, key != "")
		}
		return d, nil
	})
}

// showChanged prints two records with different content.
func (c *diff) showChanged(a, b *pairedRecord) error {
	return c.show(func() (*recordDiff, error) {
		if v, _, err := c.here.compare(a.typ, a.rec, b.typ, b.rec); err != nil || v != changed {
			return nil, errChanged
		}
		return c.here.describe(a, b, c.keys, nil), nil
	})
}

// show prints a difference, if it is one of the first.
func (c *diff) show(describe func() (*recordDiff, error)) error {
	if c.shown++; c.shown > int(c.limit) {
		return nil
	}
	d, err := describe()
	if err != nil {
		return err
	}
	if c.format == cli.FormatText {
		c.out.Buf = d.appendText(c.out.Buf)
		return c.out.Spill()
	}
	if c.shown > 1 {
		c.out.Buf = append(c.out.Buf, ',')
	}
	c.out.Buf = cli.AppendJSON(c.out.Buf, d)
	return c.out.Spill()
}

func (c *diff) line(format string, args ...any) {
	c.out.Buf = fmt.Appendf(c.out.Buf, format+"\n", args...)
}

// printSums prints the counts of both data sets.
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
	container, records, content := "same", "", "same"
	switch {
	case !r.container.known:
		container = "not compared: " + r.container.why
	case !r.container.same:
		container = "differs: " + r.container.why
	}
	switch {
	case r.sameRecords() && c.keys != nil && !r.container.same:
		records = fmt.Sprintf("same: %s, in any order", cli.Plural(c.records[0], "record"))
	case r.sameRecords():
		records = "same: " + cli.Plural(c.records[0], "record")
	case r.sameContent() && r.reordered:
		records = "differ: some have other bytes"
	default:
		records = fmt.Sprintf("differ: %d in A, %d in B", c.records[0], c.records[1])
		if c.keys == nil {
			records += fmt.Sprintf(", %d the same bytes", r.bytesSame)
		}
	}
	if !r.sameContent() {
		content = fmt.Sprintf("differs: %d same, %d changed, %d only in A, %d only in B", r.same, r.changed, r.only[0], r.only[1])
	}
	var t cli.Table
	t.Row("container", container)
	t.Row("records", records)
	t.Row("content", content)
	c.out.Buf = t.AppendTo(c.out.Buf)
	if c.uncompared > 0 {
		c.line("not compared, as records were skipped: %d", c.uncompared)
	}
	c.printFeatures()
	for side, rep := range r.repeated {
		if rep.keys == 0 {
			continue
		}
		var first []string
		for _, p := range c.placesOf(rep.first) {
			first = append(first, p.address())
		}
		c.line("%s in %s more than once, in %s, as %s", cli.Plural(rep.keys, "key"), sideNames[side], cli.Plural(rep.records, "record"), strings.Join(first, ", "))
	}
	if c.keys == nil && r.changed > r.same && r.changed > 1 {
		c.line("most records differ: --by FEATURE compares records wherever they stand, and digest --unordered ignores their order")
	}
}

func (c *diff) placesOf(first [][2]ref) []recordPlace {
	places := []recordPlace{}
	for _, two := range first {
		places = append(places, c.placeOf(two[0]), c.placeOf(two[1]))
	}
	return places
}

// mostListed is how many features the text form lists.
const mostListed = 50

// printFeatures prints in how many records each feature differs.
func (c *diff) printFeatures() {
	f := &c.result.features
	if len(f.byName) > 0 {
		c.line("")
		all := f.sorted()
		var t cli.Table
		t.Row("FEATURE", "CHANGED", "ONLY IN A", "ONLY IN B")
		for _, s := range all[:min(len(all), mostListed)] {
			t.Row(s.title(), s.changed, s.only[0], s.only[1])
		}
		c.out.Buf = t.AppendTo(c.out.Buf)
		if more := len(all) - mostListed; more > 0 {
			c.line("and %s; --format json has them", cli.Plural(int64(more), "more feature"))
		}
	}
	if n := c.result.unsummed; n > 0 {
		c.line("not in these counts, as more than %d records have their key: %s", mostOfKey, cli.Plural(n, "changed record"))
	}
	if f.more > 0 {
		c.line("more features are not listed: %d times", f.more)
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
	for _, s := range r.features.sorted() {
		d.Features = append(d.Features, featureCount{jsonPart(s.part), jsonName(s.name, s.label), s.changed, s.only[0], s.only[1]})
	}
	if c.keys != nil {
		d.Repeated = &[2]keyReport{}
		for side, rep := range r.repeated {
			d.Repeated[side] = keyReport{sideNames[side], rep.keys, rep.records, c.placesOf(rep.first)}
		}
	}
	return d
}

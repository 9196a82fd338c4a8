package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Diff returns the verb diff, which compares the records of two data sets.
func Diff() *cli.Command {
	c := &diff{joiner: joiner{memory: 256 << 20}}
	return &cli.Command{
		Name: "diff",
		Flags: func(fs *pflag.FlagSet) {
			cli.FeaturesVar(fs, &c.by, "by", "compare records with the same values of these `FEATURES`")
			cli.ChoiceVar(fs, &c.level, "fail-on", levelNames, "exit code 1 for `LEVEL`: container, records or content")
			cli.NumberVar(fs, &c.limit, "limit", 20, 0, "print at most `N` records that differ")
			fs.TextVar(&c.memory, "memory", &c.memory, "sort --by in `SIZE` bytes of memory")
			scan.TypeVar(fs, &c.typ)
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "work with `N` goroutines")
			c.reading.Add(fs)
			c.reading.AddMissingFeatures(fs)
		},
		Run: c.run,
	}
}

// A diff holds the flags and the state of one run of the verb.
type diff struct {
	joiner
	by     cli.NameList // --by; the parsed names are joiner.keys
	level  compareLevel // --fail-on
	limit  int          // differences to print
	format cli.Format   // --format

	out      *cli.Output  // the report, written as differences are found
	comparer comparer     // for the printing goroutine
	result   diffCounters // counts so far
	shown    int          // calls of show; beyond limit it only counts
}

// A compareLevel is a level at which data sets are compared: content, records or container.
type compareLevel uint8

const (
	levelContent compareLevel = iota
	levelRecords
	levelContainer
)

var levelNames = []string{"content", "records", "container"}

// diffCounters are the counts of a diff.
type diffCounters struct {
	container fileComparison // of the bytes of all files; made before records are read

	bytesSame int64    // pairs of records that are the same bytes
	same      int64    // pairs with the same content
	changed   int64    // pairs with different content
	only      [2]int64 // records without a partner, by side
	reordered bool     // by key: the sets of payloads differ

	features featureSums // changed pairs, by feature
	unsummed int64       // changed pairs missing from features: their key has more than maxRefsPerKey records

	repeated [2]repeatedKeys // by side
}

// repeatedKeys counts the keys that occur more than once on one side.
type repeatedKeys struct {
	keys, records int64    // such keys, and their records
	first         [][2]ref // the first two records of each key to print; unordered until keepFirst
}

// maxRepeatedKeys limits the repeated keys that are printed.
const maxRepeatedKeys = 3

func (r *repeatedKeys) addKey(t *refTally) {
	if t.n < 2 {
		return
	}
	r.keys++
	r.records += t.n
	if r.first = append(r.first, [2]ref(t.first)); len(r.first) == 64 {
		r.keepFirst()
	}
}

// keepFirst sorts the keys by their first records and drops all after the first maxRepeatedKeys.
func (r *repeatedKeys) keepFirst() {
	slices.SortFunc(r.first, func(a, b [2]ref) int { return a[0].comparePosition(&b[0]) })
	r.first = r.first[:min(len(r.first), maxRepeatedKeys)]
}

func (r *diffCounters) sameContent() bool {
	return r.changed == 0 && r.only == [2]int64{}
}

func (r *diffCounters) sameRecords() bool {
	return r.sameContent() && r.bytesSame == r.same && !r.reordered
}

// sameAt reports whether the data sets are the same at a level.
func (r *diffCounters) sameAt(l compareLevel) bool {
	switch l {
	case levelContent:
		return r.sameContent()
	case levelRecords:
		return r.sameRecords()
	}
	return r.container.same
}

func (c *diff) run(e *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("want two data sets, got %s", cli.Plural(int64(len(args)), "argument"))
	}
	if err := c.parseKeys("by", c.by); err != nil {
		return err
	}
	if _, err := c.expand(e, args); err != nil {
		return err
	}
	var err error
	c.out = e.Report()
	c.out.Answer = true
	if c.format == cli.FormatJSON {
		c.out.Buf = append(c.out.Buf, `{"differences":[`...)
	}
	if c.result.container, err = compareFiles(e.Ctx, c.in[0], c.in[1]); err != nil {
		return c.out.Finish(err)
	}
	switch {
	case c.result.container.same:
		err = c.countRecords()
	case c.keys != nil:
		err = c.byKey()
	default:
		err = c.byPosition()
	}
	if err != nil {
		return c.out.Finish(err)
	}
	c.printSums()
	if !c.result.sameAt(c.level) {
		e.Raise(cli.ExitNegative)
	}
	return c.out.Finish(nil)
}

// countRecords counts the records of two sides whose files are byte for byte the same. It reads one side.
func (c *diff) countRecords() error {
	if err := c.readKeys(0, nil); err != nil {
		return err
	}
	n := c.records[0]
	c.records[1], c.result.bytesSame, c.result.same = n, n, n
	return c.missingKeys(0)
}

// byKey compares records with the same key. Within a key, it first pairs records with equal content, then the
// others in the order of the input.
func (c *diff) byKey() error {
	pairs := c.newPairList()
	defer pairs.close()
	first := differences{limit: c.limit}
	if err := c.eachKey(func(g *keyGroup) { c.result.addGroup(g, pairs, &first) }); err != nil {
		return err
	}
	r := &c.result
	r.bytesSame, r.reordered = r.same, c.sums[0] != c.sums[1]
	for side := range r.repeated {
		r.repeated[side].keepFirst()
	}
	summed := pairs.n
	for _, d := range first.sorted() { // added a second time, to be printed
		pairs.addPair(d.sides())
	}
	return pairs.eachPair(func(i int64, a, b *pairedRecord) error {
		switch {
		case b == nil:
			return c.showOnly(0, a)
		case a == nil:
			return c.showOnly(1, b)
		case i >= summed:
			return c.showChanged(a, b)
		}
		if v, _, err := c.comparer.compare(a.typ, a.rec, b.typ, b.rec); err != nil || v != changed {
			return errChanged
		}
		r.features.addRecord()
		c.comparer.eachChange(a.typ, b.typ, r.features.addChange)
		return nil
	})
}

// addGroup counts the records of one key, and adds its changed records to pairs and first.
func (r *diffCounters) addGroup(g *keyGroup, pairs *pairList, first *differences) {
	a, b := &g.unpaired[0], &g.unpaired[1]
	n := min(a.n, b.n)
	r.same += g.same
	r.changed += n
	r.unsummed += n - min(n, int64(len(a.first)), int64(len(b.first)))
	for i := range max(len(a.first), len(b.first)) {
		d := difference{has: [2]bool{i < len(a.first), i < len(b.first)}}
		for side := range d.refs {
			if d.has[side] {
				d.refs[side] = g.unpaired[side].first[i]
			}
		}
		switch {
		case d.has[0] && d.has[1]:
			pairs.addPair(&d.refs[0], &d.refs[1])
		case int64(i) < n:
			continue // it has a partner, which was counted but not kept
		}
		first.addDifference(d)
	}
	for side := range g.all {
		r.only[side] += g.unpaired[side].n - n
		r.repeated[side].addKey(&g.all[side])
	}
}

// A difference is a record without a partner, or a pair of records with different content.
type difference struct {
	refs [2]ref  // by side
	has  [2]bool // by side: the ref is set
}

// sides returns the two records; nil for a side without one.
func (d *difference) sides() (a, b *ref) {
	if d.has[0] {
		a = &d.refs[0]
	}
	if d.has[1] {
		b = &d.refs[1]
	}
	return a, b
}

// differences keeps the first differences: by their positions in A, then those only in B by theirs.
type differences struct {
	limit int          // how many sorted returns
	list  []difference // unordered until sorted
}

func (l *differences) addDifference(d difference) {
	if l.list = append(l.list, d); len(l.list) > 2*l.limit+1024 {
		l.sorted()
	}
}

// sorted sorts the differences, drops all beyond the limit, and returns the rest.
func (l *differences) sorted() []difference {
	slices.SortFunc(l.list, func(d, e difference) int {
		i, k := boolIndex(!d.has[0]), boolIndex(!e.has[0]) // side whose position counts: A if it has the record
		return cmp.Or(cmp.Compare(i, k), d.refs[i].comparePosition(&e.refs[i]))
	})
	l.list = l.list[:min(len(l.list), l.limit)]
	return l.list
}

// sideNames are the names of the two sides.
var sideNames = [2]string{"A", "B"}

// showOnly prints a record without a partner.
func (c *diff) showOnly(side int, r *pairedRecord) error {
	return c.show(func() (*recordDiff, error) {
		d := &recordDiff{}
		*[2]**recordPosition{&d.A, &d.B}[side] = &r.position
		if c.keys != nil {
			if err := c.comparer.setForm(0, r.typ, r.rec); err != nil {
				return nil, errChanged
			}
			key := c.comparer.keyText(0, r.typ, c.keys)
			d.Key = cli.Known(key, key != "")
		}
		return d, nil
	})
}

// showChanged prints a pair of records with different content.
func (c *diff) showChanged(a, b *pairedRecord) error {
	return c.show(func() (*recordDiff, error) {
		if v, _, err := c.comparer.compare(a.typ, a.rec, b.typ, b.rec); err != nil || v != changed {
			return nil, errChanged
		}
		return c.comparer.describe(a, b, c.keys, nil), nil
	})
}

// show counts a difference, and prints it unless --limit is reached.
func (c *diff) show(describe func() (*recordDiff, error)) error {
	if c.shown++; c.shown > c.limit {
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

// printSums prints the totals after the differences.
func (c *diff) printSums() {
	r := &c.result
	if c.format == cli.FormatJSON {
		c.out.Buf = append(c.out.Buf, "],"...)
		text := cli.AppendJSON(nil, c.report())
		c.out.Buf = append(append(c.out.Buf, text[1:]...), '\n')
		return
	}
	if more := r.changed + r.only[0] + r.only[1] - min(int64(c.shown), int64(c.limit)); more > 0 && c.limit > 0 {
		c.out.Line("and %s that differ; --limit prints them", cli.Plural(more, "more record"))
	}
	if c.shown > 0 && c.limit > 0 {
		c.out.Line("")
	}
	container, records, content := "same", "", "same"
	switch {
	case !r.container.compared:
		container = "not compared: " + r.container.reason
	case !r.container.same:
		container = "differs: " + r.container.reason
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
		c.out.Line("not compared, as records were skipped: %d", c.uncompared)
	}
	c.printFeatures()
	for side, rep := range r.repeated {
		if rep.keys == 0 {
			continue
		}
		var first []string
		for _, p := range c.positionsOf(rep.first) {
			first = append(first, p.address())
		}
		c.out.Line("%s in %s more than once, in %s, as %s", cli.Plural(rep.keys, "key"), sideNames[side], cli.Plural(rep.records, "record"), strings.Join(first, ", "))
	}
	if c.keys == nil && r.changed > r.same && r.changed > 1 {
		c.out.Line("most records differ: --by FEATURE and digest --unordered ignore their order")
	}
}

func (c *diff) positionsOf(first [][2]ref) []recordPosition {
	places := []recordPosition{}
	for _, two := range first {
		places = append(places, c.positionOf(two[0]), c.positionOf(two[1]))
	}
	return places
}

// maxListed limits the features of the text output.
const maxListed = 50

// printFeatures prints the number of records in which each feature differs.
func (c *diff) printFeatures() {
	f := &c.result.features
	if len(f.byName) > 0 {
		c.out.Line("")
		all := f.sorted()
		var t cli.Table
		t.Row("FEATURE", "CHANGED", "ONLY IN A", "ONLY IN B")
		for _, s := range all[:min(len(all), maxListed)] {
			t.Row(s.title(), s.changed, s.only[0], s.only[1])
		}
		c.out.Buf = t.AppendTo(c.out.Buf)
		if more := len(all) - maxListed; more > 0 {
			c.out.Line("and %s; --format json has them", cli.Plural(int64(more), "more feature"))
		}
	}
	if n := c.result.unsummed; n > 0 {
		c.out.Line("not in these counts (over %d records per key): %s", maxRefsPerKey, cli.Plural(n, "changed record"))
	}
	if f.unlisted > 0 {
		c.out.Line("more features are not listed: %d times", f.unlisted)
	}
}

// A diffReport is the JSON output after the list of differences.
type diffReport struct {
	Same      bool           `json:"same"`      // at Level
	Level     string         `json:"level"`     // name of the compareLevel
	Container *sameReport    `json:"container"` // null: not compared
	Records   sameReport     `json:"records"`
	Content   sameReport     `json:"content"`
	Counts    countsReport   `json:"counts"`
	Features  []featureCount `json:"features"`
	More      int64          `json:"more_features"`
	Unsummed  int64          `json:"changed_not_in_features,omitempty"` // diffCounters.unsummed
	Repeated  *[2]keyReport  `json:"repeated_keys,omitempty"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

// sameReport is the result of comparing one level (container, records or content); Detail is the reason.
type sameReport struct {
	Same   bool   `json:"same"`
	Detail string `json:"detail,omitempty"`
}

// A countsReport is the JSON output for the counts of a diff.
type countsReport struct {
	A          int64  `json:"a"`
	B          int64  `json:"b"`
	SameBytes  *int64 `json:"same_bytes"`
	Same       int64  `json:"same"`
	Changed    int64  `json:"changed"`
	OnlyA      int64  `json:"only_a"`
	OnlyB      int64  `json:"only_b"`
	Uncompared int64  `json:"not_compared"`
}

// A featureCount is the JSON output for a featureSum.
type featureCount struct {
	Part    *string         `json:"part"`
	Name    json.RawMessage `json:"name"`
	Changed int64           `json:"changed"`
	OnlyA   int64           `json:"only_a"`
	OnlyB   int64           `json:"only_b"`
}

// A keyReport is the JSON output for the repeatedKeys of a side.
type keyReport struct {
	Side    string           `json:"side"`
	Keys    int64            `json:"keys"`
	Records int64            `json:"records"`
	First   []recordPosition `json:"first"`
}

func (c *diff) report() diffReport {
	r := &c.result
	d := diffReport{
		Same: r.sameAt(c.level), Level: levelNames[c.level],
		Container: cli.Known(sameReport{r.container.same, r.container.reason}, r.container.compared),
		Records:   sameReport{Same: r.sameRecords()}, Content: sameReport{Same: r.sameContent()},
		Counts:   countsReport{c.records[0], c.records[1], cli.Known(r.bytesSame, c.keys == nil), r.same, r.changed, r.only[0], r.only[1], c.uncompared},
		Features: []featureCount{}, More: r.features.unlisted, Unsummed: r.unsummed, PassedOver: cli.JSONNames(c.reading.PassedOver),
	}
	for _, s := range r.features.sorted() {
		d.Features = append(d.Features, featureCount{jsonPart(s.part), jsonName(s.name, s.label), s.changed, s.only[0], s.only[1]})
	}
	if c.keys != nil {
		d.Repeated = &[2]keyReport{}
		for side, rep := range r.repeated {
			d.Repeated[side] = keyReport{sideNames[side], rep.keys, rep.records, c.positionsOf(rep.first)}
		}
	}
	return d
}

package compare

import (
	"cmp"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// Diff compares the records of two data sets.
func Diff() *cli.Command {
	c := &diff{joiner: joiner{memory: 256 << 20}}
	return &cli.Command{
		Name: "diff",
		Flags: func(fs *pflag.FlagSet) {
			cli.FeaturesVar(fs, &c.by, "by", "compare records with the same values of these `FEATURES`")
			cli.EnumVar(fs, &c.level, "fail-on", levelNames, "exit code 1 for `LEVEL`: container, records or content")
			fs.TextVar(&c.limit, "limit", cli.Natural(20), "print at most `N` records that differ")
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

type diff struct {
	joiner
	by     cli.NameList
	level  level
	limit  cli.Natural
	format cli.Format

	out    *cli.Output
	here   comparer // of the goroutine that prints
	result result
	shown  int // differences so far, those beyond limit too
}

// A level says what two data sets can differ in.
type level uint8

const (
	levelContent level = iota
	levelRecords
	levelContainer
)

var levelNames = []string{"content", "records", "container"}

func (l level) MarshalText() ([]byte, error) { return []byte(levelNames[l]), nil }

func (l *level) UnmarshalText(text []byte) error { return cli.SetName(l, levelNames, text) }

// A result has the counts of a diff.
type result struct {
	container container

	bytesSame int64    // pairs of records that are the same bytes
	same      int64    // pairs with the same content
	changed   int64    // pairs with different content
	only      [2]int64 // records without a partner
	reordered bool     // by key: the payloads are not all the same, though the content is

	features featureSums
	unsummed int64 // changed pairs that they leave out, as too many records have one key

	repeated [2]repeats // keys that occur more than once
}

// repeats are keys that occur more than once on one side.
type repeats struct {
	keys, records int64
	first         [][2]ref // two records of the first keys, in any order until cut
}

// mostRepeated is how many of them are named.
const mostRepeated = 3

func (r *repeats) add(t *tally) {
	if t.n < 2 {
		return
	}
	r.keys++
	r.records += t.n
	if r.first = append(r.first, [2]ref(t.first)); len(r.first) == 64 {
		r.cut()
	}
}

// cut sorts the keys by their first records and drops those that are not named.
func (r *repeats) cut() {
	slices.SortFunc(r.first, func(a, b [2]ref) int { return a[0].comparePosition(&b[0]) })
	r.first = r.first[:min(len(r.first), mostRepeated)]
}

func (r *result) sameContent() bool {
	return r.changed == 0 && r.only == [2]int64{}
}

func (r *result) sameRecords() bool {
	return r.sameContent() && r.bytesSame == r.same && !r.reordered
}

// sameAt reports whether the data sets are the same at a level.
func (r *result) sameAt(l level) bool {
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
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	if err := c.parseKeys("by", c.by); err != nil {
		return err
	}
	if _, err := c.expand(e, args); err != nil {
		return err
	}
	var err error
	if c.out, err = e.Create(""); err != nil {
		return err
	}
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

// countRecords counts the records of one side of two that are the same bytes.
func (c *diff) countRecords() error {
	if err := c.readKeys(0, nil); err != nil {
		return err
	}
	n := c.records[0]
	c.records[1], c.result.bytesSame, c.result.same = n, n, n
	return c.missingKeys(0)
}

// byKey compares the records that have the same key. Of a key, records with equal content are paired
// first, then the others in their order.
func (c *diff) byKey() error {
	pairs := c.newPairList()
	defer pairs.close()
	first := differences{most: int(c.limit)}
	if err := c.eachKey(func(g *keyGroup) { c.result.addGroup(g, pairs, &first) }); err != nil {
		return err
	}
	r := &c.result
	r.bytesSame, r.reordered = r.same, c.sums[0] != c.sums[1]
	for side := range r.repeated {
		r.repeated[side].cut()
	}
	summed := pairs.n
	for _, d := range first.sorted() { // once more, to be printed
		pairs.add(d.sides())
	}
	return pairs.each(func(i int64, a, b *pairedRecord) error {
		switch {
		case b == nil:
			return c.showOnly(0, a)
		case a == nil:
			return c.showOnly(1, b)
		case i >= summed:
			return c.showChanged(a, b)
		}
		if v, _, err := c.here.compare(a.typ, a.rec, b.typ, b.rec); err != nil || v != changed {
			return errChanged
		}
		r.features.addRecord()
		c.here.eachChange(a.typ, b.typ, r.features.addChange)
		return nil
	})
}

// addGroup counts the records of one key, and adds those that changed to the pairs and the differences.
func (r *result) addGroup(g *keyGroup, pairs *pairList, first *differences) {
	a, b := &g.rest[0], &g.rest[1]
	n := min(a.n, b.n)
	r.same += g.same
	r.changed += n
	r.unsummed += n - min(n, int64(len(a.first)), int64(len(b.first)))
	for i := range max(len(a.first), len(b.first)) {
		d := difference{has: [2]bool{i < len(a.first), i < len(b.first)}}
		for side := range d.refs {
			if d.has[side] {
				d.refs[side] = g.rest[side].first[i]
			}
		}
		switch {
		case d.has[0] && d.has[1]:
			pairs.add(&d.refs[0], &d.refs[1])
		case int64(i) < n:
			continue // its partner was only counted
		}
		first.add(d)
	}
	for side := range g.all {
		r.only[side] += g.rest[side].n - n
		r.repeated[side].add(&g.all[side])
	}
}

// A difference is a record without a partner, or two with different content.
type difference struct {
	refs [2]ref
	has  [2]bool
}

// sides returns the two records; nil where there is none.
func (d *difference) sides() (a, b *ref) {
	if d.has[0] {
		a = &d.refs[0]
	}
	if d.has[1] {
		b = &d.refs[1]
	}
	return a, b
}

// differences are the first of many, in the order of A, then of B.
type differences struct {
	most int
	list []difference // in any order until cut
}

func (l *differences) add(d difference) {
	if l.list = append(l.list, d); len(l.list) > 2*l.most+1024 {
		l.sorted()
	}
}

// sorted sorts the differences, and drops all but the first.
func (l *differences) sorted() []difference {
	slices.SortFunc(l.list, func(d, e difference) int {
		i, k := boolIndex(!d.has[0]), boolIndex(!e.has[0]) // the side that says where it is
		return cmp.Or(cmp.Compare(i, k), d.refs[i].comparePosition(&e.refs[i]))
	})
	l.list = l.list[:min(len(l.list), l.most)]
	return l.list
}

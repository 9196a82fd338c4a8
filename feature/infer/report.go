package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// Report describes the features of the records and the evidence for the spec.
type Report struct {
	Message  example.MessageType
	Records  int64     // records added without error
	Empty    int64     // of these, records without any feature
	Features []Feature // sorted by group, then name
	Pairs    []Pair    // chosen and rejected pairs, sorted by the feature that they partition, the best first
}

// Feature describes the features of one name.
type Feature struct {
	Group   feature.Group     // map of the message that has the feature
	Name    string            // key in the records; unique in the group
	DType   feature.DType     // 0 if there are no values or values of several types
	Units   int64             // number of records; in Examples, number of examples
	Missing int64             // units without the feature; in Sequence, records without the list
	NoKind  int64             // units whose feature has no kind; in Sequence, steps
	Steps   int64             // in Sequence, total number of steps
	Min     int               // fewest values in a unit or step with a kind
	Max     int               // most values
	Column  feature.Feature   // column in the spec; nil if the feature is a partition or is omitted
	Role    feature.Partition // the partition, if the feature is one
	Why     string            // the reason for Column or Role
}

// Pair is a feature that may partition the values of another feature, or the rows of
// another partition.
type Pair struct {
	Group     feature.Group     // map of the message that has both features
	Partition feature.Partition // the partition, with its key
	Of        string            // the key of the feature that it partitions
	Rows      feature.Partition // the partition whose rows it partitions; nil if it partitions values
	Block     int64             // number of values per item; 1 except with a uniform row length
	Records   int64             // records in which one of the two features has numbers
	Against   int64             // of these, records in which the pair does not hold
	Counter   *Counter          // the first such record; nil if there is none
	Chosen    bool              // the pair is in the spec
	Why       string            // the reason why it was chosen or rejected
}

// Counter is a counter-example: a record in which a pair does not hold.
type Counter struct {
	Record int64   // ordinal
	At     string  // the record as Options.Address names it; "": "record 5"
	Unit   int     // index of the step or example in the record; -1 elsewhere
	Values []int64 // the first values of the partition, at most 8
	Len    int64   // number of values of the partition
	Items  int64   // number of items that it would have to partition
	Fault  string  // the reason, such as "they add up to 7"
}

// String gives the counter-example as one line.
func (c Counter) String() string {
	var b strings.Builder
	if b.WriteString(c.At); c.At == "" {
		fmt.Fprintf(&b, "record %d", c.Record)
	}
	if c.Unit >= 0 {
		fmt.Fprintf(&b, ", step or example %d", c.Unit)
	}
	b.WriteString(": [")
	for i, v := range c.Values {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatInt(v, 10))
	}
	if int64(len(c.Values)) < c.Len {
		b.WriteString(" …")
	}
	fmt.Fprintf(&b, "] for %d items: %s", c.Items, c.Fault)
	return b.String()
}

// title returns the number of records and their type.
func (r Report) title() string {
	text := fmt.Sprintf("%d %s records", r.Records, r.Message)
	if r.Empty > 0 {
		text += fmt.Sprintf(", %d without features", r.Empty)
	}
	return text
}

// Report returns a description of the records so far, which the caller may change. Add may be
// called afterwards.
func (in *Inferrer) Report() Report {
	r := Report{Message: in.message, Records: in.records, Empty: in.empty}
	for _, g := range in.groups {
		if g == nil {
			continue
		}
		d := g.chooseColumns(in.opts)
		r.Features = append(r.Features, d.features()...)
		r.Pairs = append(r.Pairs, d.report()...)
	}
	return r
}

func (d *columnChoice) features() (out []Feature) {
	for i, s := range d.group.stats {
		f := Feature{
			Group: d.group.id, Name: s.name, DType: s.dtype(), Units: d.group.units, NoKind: s.kinds[0],
			Min: s.min, Max: s.max, Column: d.columns[i], Why: d.reasons[i],
		}
		f.Missing = f.Units - s.present() - s.kinds[0]
		if d.group.id == feature.InSequence {
			f.Missing, f.Steps = f.Units-s.lists, s.present()+s.kinds[0]
		}
		if d.roles[i] != noPartition {
			f.Role = d.roles[i].partition(s.name)
			f.Why = fmt.Sprintf("%s of %s", d.roles[i], strconv.Quote(d.group.stats[d.partitioned[i]].name))
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Feature) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// untyped returns the reason why a feature has no type.
func (d *columnChoice) untyped(s *featureStats) string {
	var kinds []string
	for i, t := range [...]feature.DType{feature.String, feature.Float32, feature.Int64} {
		if s.kinds[i+1] > 0 {
			kinds = append(kinds, fmt.Sprintf("%s in %s", t, d.address(s.first[i+1])))
		}
	}
	if len(kinds) == 0 {
		return "left out: it never has a kind"
	}
	return "left out: " + strings.Join(kinds, ", ")
}

// report returns the pairs that the report shows.
func (d *columnChoice) report() (out []Pair) {
	for _, p := range d.pairs {
		why, worth := d.verdict(p)
		if !worth {
			continue
		}
		out = append(out, d.pair(p, why))
	}
	slices.SortStableFunc(out, func(a, b Pair) int {
		chosen := func(p Pair) int {
			if p.Chosen {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(chosen(a), chosen(b)))
	})
	return out
}

// pair converts a candidate pair to the exported form.
func (d *columnChoice) pair(p *candidatePair, why string) Pair {
	stats := d.group.stats
	r := Pair{
		Group: d.group.id, Partition: p.encoding.partition(stats[p.partition].name), Of: stats[p.target].name, Block: p.block,
		Records: p.records, Against: p.against, Chosen: d.chosen[p], Why: why,
	}
	if p.rows < noPartition {
		r.Rows = p.rows.partition(stats[p.target].name)
	}
	if p.counter != nil {
		r.Counter = p.counter.toReport(p)
		r.Counter.At = d.address(r.Counter.Record)
	}
	return r
}

// Possible returns the pairs that hold in every record so far, sorted by group, the best first. With few records most of them
// hold by accident; a caller that knows the ragged rank of a column can choose from them.
func (in *Inferrer) Possible() (pairs []Pair) {
	for _, g := range in.groups {
		if g == nil {
			continue
		}
		d := g.chooseColumns(in.opts)
		for _, p := range d.pairs {
			if p.against == 0 && p.records > 0 && g.stats[p.partition].dtype() == feature.Int64 {
				pairs = append(pairs, d.pair(p, ""))
			}
		}
	}
	return pairs
}

// verdict returns the reason why a pair was chosen or rejected, and whether the report shows it. Pairs
// that follow from another pair, or hold by chance, are not shown.
func (d *columnChoice) verdict(p *candidatePair) (why string, worth bool) {
	if decided, match := d.group.byName(p); decided && match && d.chosen[p] {
		return "holds, and the names say so", true
	} else if decided && !match {
		return "", false
	} else if d.chosen[p] {
		return fmt.Sprintf("holds, for %s different numbers of items", atLeast(p.distinct)), true
	}
	if p.rows < noPartition && d.roles[p.target] != p.rows { // the target is not such a partition
		return "", false
	}
	if p.rows == noPartition && d.roles[p.target] != noPartition { // the values are a partition themselves
		return "", false
	}
	if role := d.roles[p.partition]; role != noPartition && role != p.encoding { // the partition has another kind
		return "", false
	}
	by := d.valuesBy[p.target]
	if p.rows < noPartition {
		by = d.rowsBy[p.target]
	}
	if by != nil && by.partition == p.partition { // the same partition in another encoding
		return "", false
	}
	words := d.group.stats[p.partition].words
	named, _ := nameHint(words, p.encoding)
	close := affinity(d.group.stats[p.partition], d.group.stats[p.target])
	switch {
	case p.against > 0:
		decided, _ := d.group.byName(p)
		return "does not hold", d.group.believable(p) && (named || close > 0 || decided)
	case d.group.isBelieved(p) && !d.hasForm(p):
		return "would fit, but a schema has no " + p.encoding.String(), true
	case d.group.isBelieved(p) && d.fitsDoubted(p):
		return "would fit, but its target may be a partition", true
	case d.group.isBelieved(p) && by != nil:
		return fmt.Sprintf("would fit too, but %q is closer", d.group.stats[by.partition].name), true
	case d.group.isBelieved(p):
		return "would fit too, but was not chosen", true
	}
	if why := d.group.reasonForDoubt(p); why != "" && d.group.holdsOften(p) {
		return "would fit, but " + why, true
	}
	return fmt.Sprintf("may be an accident: %d different numbers of items, want %d", p.distinct, d.group.neededNumbers(p)), named && close > 0
}

func atLeast(distinct int) string {
	if distinct == maxDistinct {
		return "many"
	}
	return strconv.Itoa(distinct)
}

func (c *counterExample) toReport(p *candidatePair) *Counter {
	r := &Counter{Record: c.record, Unit: c.unit, Values: slices.Clone(c.head), Len: c.n, Items: c.items}
	if p.block > 1 {
		r.Items /= p.block
	}
	switch {
	case c.lone:
		r.Fault = "only one of the two lists has the step"
	case !c.partition.ok:
		r.Fault = "they are not " + p.encoding.String()
	case p.block > 1 && c.items%p.block != 0:
		r.Items = c.items
		r.Fault = fmt.Sprintf("not a multiple of %d", p.block)
	case p.encoding == lengths:
		r.Fault = fmt.Sprintf("they add up to %d", c.partition.total)
	case p.encoding == starts:
		r.Fault = fmt.Sprintf("the last row starts at %d", c.partition.total)
	case p.encoding == rowIDs:
		r.Fault = fmt.Sprintf("it has %d ids", c.partition.total)
	default:
		r.Fault = fmt.Sprintf("they end at %d", c.partition.total)
	}
	return r
}

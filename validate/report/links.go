package report

import (
	"math"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Selection describes the records that a mark of the page counts, such as a bar or a frequent value. Input.Link makes a link of it.
type Selection struct {
	Side int                           // index in Input.Sides
	Path []string                      // path of the feature in the statistics
	Type pb.FeatureNameStatistics_Type // type of its values
	What Mark

	Value string // for ValueMark: the value
	// For RangeMark: the ends of the range. LowOpen and HighOpen exclude the end itself. An infinite end without its flag means
	// that the range has no end there.
	Low, High         float64
	LowOpen, HighOpen bool
}

// A Mark is what a Selection is about.
type Mark uint8

// The marks.
const (
	MissingMark Mark = iota // records without the feature
	NaNMark                 // records with a NaN
	ValueMark               // records with a string, or a number that is a category
	RangeMark               // records with a number in a range
)

// A linker makes the links of one feature. A nil *linker makes none.
type linker struct {
	link  func(Selection) string // Input.Link
	path  []string
	sides []*view.Feature
}

// newLinker returns the linker of a feature, nil if the page has no links, or if the feature is in a slice of the records: a link
// selects from all.
func (s *slice) newLinker(f *feature) *linker {
	if s.link == nil {
		return nil
	}
	return &linker{s.link, f.path, f.sides}
}

// to returns the link to the records of a selection, "" for none.
func (l *linker) to(side int, s Selection) string {
	if l == nil || l.sides[side] == nil {
		return ""
	}
	s.Side, s.Path, s.Type = side, l.path, l.sides[side].Stats.GetType()
	return l.link(s)
}

// toRange returns the link to the records with a number above low, or from low on if closed is set, up to high.
func (l *linker) toRange(side int, low, high float64, closed bool) string {
	if math.IsInf(low, 0) && low == high {
		return ""
	}
	return l.to(side, Selection{What: RangeMark, Low: low, High: high, LowOpen: !closed})
}

// toValue returns the link to the records with a label. The label of a long value that is not UTF-8 does not have it.
func (l *linker) toValue(side int, label string) string {
	value, ok := valueOf(label)
	if !ok {
		return ""
	}
	return l.to(side, Selection{What: ValueMark, Value: value})
}

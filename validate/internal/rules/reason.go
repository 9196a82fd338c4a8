package rules

import (
	"cmp"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Reason is one thing that is wrong.
type Reason struct {
	Type               pb.AnomalyInfo_Type
	Short, Long        string
	Expected, Observed string // in few words
	Warning            bool   // its severity, unless something else was asked for
}

// Text is the long text, or the short one where there is no other.
func (r Reason) Text() string {
	return strings.TrimSpace(cmp.Or(r.Long, r.Short))
}

// A Config says how rules are applied.
type Config struct {
	Compat      bool   // as TensorFlow Data Validation 1.16.1 does
	Environment string // "": no environment
	EnumLimit   int    // a feature with more labels gets no string domain
	Shape       bool   // give new features a shape

	Slack  *float64 // less than the share of examples that have a new feature must have it; nil: all, or none
	Margin *float64 // by which the range of new numbers is widened; nil: they get none

	Compared int // features whose distances are measured, in all data sets; 0: those of the data set

	Why func(Decision) // gets what Update decides; may be nil

	Counted         distance.Source // the numbers of the data, as far as they were counted; may be nil
	Drift, Skew     Control         // what the comparators of these names compare with
	PreviousVersion *view.Dataset   // whose number of examples is compared; nil: none

	// Lengths returns the first of the different numbers of values at a level of nesting in ascending order, and how
	// many there are; none, if that is not known. It may be nil.
	Lengths func(c *pb.CommonStatistics, level int) (lengths []uint64, all int)

	bare   *view.Feature // the first entry without statistics that were needed
	orphan *view.Feature // the first feature to be added whose struct is not there
}

// A Control is the data that a comparator compares with.
type Control struct {
	Names   [2]string       // as texts name the data, and these
	Data    *view.Dataset   // nil: none
	Empty   bool            // they were given, and have no examples
	Counted distance.Source // their numbers; may be nil
}

// Names of the data and of control data.
var (
	DriftNames = [2]string{"current", "previous"}
	SkewNames  = [2]string{"training", "serving"}
)

// need notes that the statistics of an entry are needed.
func (c *Config) need(f *view.Feature) {
	if c.bare == nil && f.Stats.GetStats() == nil {
		c.bare = f
	}
}

// Below notes that the children of a feature are looked at.
func (c *Config) Below(f *view.Feature) {
	for _, child := range f.Hollow {
		c.need(child)
	}
}

// needAll is need, and for all entries below.
func (c *Config) needAll(f *view.Feature) {
	c.need(f)
	c.Below(f)
	for _, child := range f.Children {
		c.needAll(child)
	}
}

// Data says whose statistics the rules are applied to.
func (c *Config) Data(d *view.Dataset) {
	if d.Bare != nil {
		c.need(d.Bare)
	}
}

// Err says that in compatible mode statistics were needed of an entry that has none,
// as those of sparse and weighted features, or a struct of a feature. TensorFlow Data Validation ends the
// process; the native mode takes them for zeros, and makes the struct.
func (c *Config) Err() error {
	switch {
	case !c.Compat:
		return nil
	case c.bare == nil && c.orphan != nil:
		return fmt.Errorf("statistics: the struct around %s is neither in them nor in the schema", c.orphan.Path)
	case c.bare == nil:
		return nil
	}
	return fmt.Errorf("statistics: those of %s are needed, which has custom ones only", c.bare.Path)
}

// Once makes one of reasons that all say that a feature is new, and returns others as they are.
func Once(reasons []Reason) []Reason {
	for _, r := range reasons {
		if r.Type != pb.AnomalyInfo_SCHEMA_NEW_COLUMN {
			return reasons
		}
	}
	return reasons[:1]
}

// Info puts reasons together, as the description of one anomaly. The severity is the
// greatest that severity gives a reason. Reasons that all say that a feature is new
// are one.
func Info(reasons []Reason, severity func(Reason) pb.AnomalyInfo_Severity) *pb.AnomalyInfo {
	info := &pb.AnomalyInfo{Severity: pb.AnomalyInfo_UNKNOWN.Enum()}
	for _, r := range reasons {
		if s := severity(r); s > info.GetSeverity() {
			info.Severity = s.Enum()
		}
	}
	for _, r := range Once(reasons) {
		info.Reason = append(info.Reason, &pb.AnomalyInfo_Reason{Type: r.Type.Enum(), ShortDescription: &r.Short, Description: &r.Long})
	}
	Describe(info)
	return info
}

// Describe makes the description of an anomaly of those of its reasons: the long ones
// that say something, one after the other.
func Describe(info *pb.AnomalyInfo) {
	var short, long string
	for _, r := range info.GetReason() {
		switch {
		case long == "":
			short, long = r.GetShortDescription(), r.GetDescription()
		case r.GetDescription() != "":
			short, long = "Multiple errors", long+" "+r.GetDescription()
		}
	}
	info.ShortDescription, info.Description = proto.String(short), proto.String(long)
}

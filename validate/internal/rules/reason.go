package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"sync"

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

//go:embed texts.txt
var textsFile string

// A text is how a reason is printed: a block of texts.txt, which describes the lines.
type text struct {
	kind                           pb.AnomalyInfo_Type
	warning                        bool
	short, long, native, want, got string
}

// texts are all texts by name. A test reads the file and the names that rules report.
var texts = sync.OnceValue(func() map[string]*text {
	all := map[string]*text{}
	var t *text
	for n, line := range strings.Split(textsFile, "\n") {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case key == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			kind, warning := strings.CutSuffix(rest, " warning")
			t = &text{kind: pb.AnomalyInfo_Type(pb.AnomalyInfo_Type_value[kind]), warning: warning}
			all[key] = t
		default:
			to := map[string]*string{"short": &t.short, "long": &t.long, "native": &t.native, "want": &t.want, "got": &t.got}[key]
			if to == nil {
				panic(fmt.Sprintf("texts.txt:%d: there is no line %q", n+1, key))
			}
			*to = strings.ReplaceAll(strings.TrimSpace(rest), `\s`, " ")
		}
	}
	return all
})

// reason makes a reason of the text with a name, and the arguments of its verbs.
func (c *Config) reason(name string, args ...any) Reason {
	t := texts()[name]
	long := t.long
	if !c.Compat && t.native != "" {
		long = t.native
	}
	return Reason{Type: t.kind, Short: format(t.short, args), Long: format(long, args), Expected: format(t.want, args), Observed: format(t.got, args), Warning: t.warning}
}

func format(s string, args []any) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// NewColumn is the reason that a feature is not in the schema.
func (c *Config) NewColumn(f *view.Feature) Reason {
	c.needAll(f)
	return c.reason("newColumn", presentIn(f))
}

// Missing is the reason that statistics lack a feature that the schema requires.
func (c *Config) Missing() Reason { return c.reason("missing") }

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

// A Reason is one violation of a rule.
type Reason struct {
	Type               pb.AnomalyInfo_Type
	Short, Long        string // the descriptions of the anomaly
	Expected, Observed string // summaries in a few words
	Warning            bool   // the default severity is warning instead of error
}

// Text returns the long description, or the short one if there is no long one.
func (r Reason) Text() string {
	return strings.TrimSpace(cmp.Or(r.Long, r.Short))
}

// A Config configures the rules.
type Config struct {
	Compat      bool   // behave like TensorFlow Data Validation 1.16.1
	Environment string // "": no environment
	EnumLimit   int    // maximum size of a new string domain
	Shape       bool   // give new features a shape

	Slack  *float64 // min_fraction of a new feature is the share of records with the feature, minus Slack; nil: 1 or not set
	Margin *float64 // the domain of new numbers is their range, widened by this share of its width; nil: no domain

	Compared int // number of compared features in all data sets, which sets the significance level; 0: the number in this data set

	Why func(Decision) // receives the decisions of Update; may be nil

	Counted         distance.Source // exact distributions of the data; may be nil
	Drift, Skew     Control         // the control data of drift and skew comparators
	PreviousVersion *view.Dataset   // statistics of the previous version, for the comparator of the number of examples; nil: none

	// Lengths returns the smallest distinct numbers of values at a level of nesting in ascending order, and the number of
	// distinct numbers. It returns none if they are not known. The function may be nil.
	Lengths func(c *pb.CommonStatistics, level int) (lengths []uint64, all int)

	bare   *view.Feature // the first entry without common statistics that a rule needed; see Err
	orphan *view.Feature // the first new feature whose parent has no entry; see Err
}

// A Control is the data set to compare with: the previous or the serving data.
type Control struct {
	Names   [2]string       // the names of the data and of the control data in texts
	Data    *view.Dataset   // nil: none
	Empty   bool            // control data without examples were given
	Counted distance.Source // exact distributions of the control data; may be nil
}

// Names of the data and of the control data, for Control.Names.
var (
	DriftNames = [2]string{"current", "previous"}
	SkewNames  = [2]string{"training", "serving"}
)

// need records f for Err if it has no common statistics.
func (c *Config) need(f *view.Feature) {
	if c.bare == nil && f.Stats.GetStats() == nil {
		c.bare = f
	}
}

// NeedChildren records for Err that the children of a feature are checked.
func (c *Config) NeedChildren(f *view.Feature) {
	for _, child := range f.Hollow {
		c.need(child)
	}
}

// needAll is need for f and all its descendants.
func (c *Config) needAll(f *view.Feature) {
	c.need(f)
	c.NeedChildren(f)
	for _, child := range f.Children {
		c.needAll(child)
	}
}

// Data must be called with the data that the rules check. It records for Err an entry without common statistics that was
// searched for weights.
func (c *Config) Data(d *view.Dataset) {
	if d.Bare != nil {
		c.need(d.Bare)
	}
}

// Err returns an error in compatible mode if a rule needed common statistics of an entry without them, such as that of a sparse
// or weighted feature, or if the parent of a new feature has no entry. TensorFlow Data Validation ends the process in
// these cases. The native mode takes the statistics as zeros, and adds the parent.
func (c *Config) Err() error {
	switch {
	case !c.Compat:
		return nil
	case c.bare == nil && c.orphan != nil:
		return fmt.Errorf("statistics and schema lack the struct around %s", c.orphan.Path)
	case c.bare == nil:
		return nil
	}
	return fmt.Errorf("statistics of %s: want common statistics, got custom ones only", c.bare.Path)
}

// Deduplicate returns the first reason if all say that a feature is new, and otherwise all reasons.
func Deduplicate(reasons []Reason) []Reason {
	for _, r := range reasons {
		if r.Type != pb.AnomalyInfo_SCHEMA_NEW_COLUMN {
			return reasons
		}
	}
	return reasons[:1]
}

// Info combines reasons into one anomaly, with the highest severity that the function severity returns for a reason. It
// reports only once that a feature is new.
func Info(reasons []Reason, severity func(Reason) pb.AnomalyInfo_Severity) *pb.AnomalyInfo {
	info := &pb.AnomalyInfo{Severity: pb.AnomalyInfo_UNKNOWN.Enum()}
	for _, r := range reasons {
		if s := severity(r); s > info.GetSeverity() {
			info.Severity = s.Enum()
		}
	}
	for _, r := range Deduplicate(reasons) {
		info.Reason = append(info.Reason, &pb.AnomalyInfo_Reason{Type: r.Type.Enum(), ShortDescription: &r.Short, Description: &r.Long})
	}
	Describe(info)
	return info
}

// Describe sets the description of an anomaly: the joined long descriptions of its reasons.
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

// A text is the wording of a reason: a block of texts.txt, whose head describes the lines.
type text struct {
	kind                           pb.AnomalyInfo_Type
	warning                        bool   // Reason.Warning
	short, long, native, want, got string // formats; native replaces long in native mode, unless it is ""
}

// texts parses texts.txt and returns the texts by name. A test compares it with the names that rules report.
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
				panic(fmt.Sprintf("texts.txt:%d: unknown line %q", n+1, key))
			}
			*to = strings.ReplaceAll(strings.TrimSpace(rest), `\s`, " ")
		}
	}
	return all
})

// reason returns a Reason with the text called name, formatted with args.
func (c *Config) reason(name string, args ...any) Reason {
	t := texts()[name]
	long := t.long
	if !c.Compat && t.native != "" {
		long = t.native
	}
	return Reason{Type: t.kind, Short: format(t.short, args), Long: format(long, args), Expected: format(t.want, args), Observed: format(t.got, args), Warning: t.warning}
}

// format is fmt.Sprintf, but args may be unused if s has no verbs.
func format(s string, args []any) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// NewColumn returns the reason that a feature is not in the schema.
func (c *Config) NewColumn(f *view.Feature) Reason {
	c.needAll(f)
	return c.reason("newColumn", presentIn(f))
}

// Missing returns the reason that a required feature has no statistics.
func (c *Config) Missing() Reason { return c.reason("missing") }

package anomaly

import (
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Finding is one reason of an anomaly, with what the message has no field for.
type Finding struct {
	Slice    string   // with ValidateSlices, the slice that it is about; otherwise empty
	Path     []string // of the feature; nil: the data set, or the slice, as a whole
	Type     pb.AnomalyInfo_Type
	Severity pb.AnomalyInfo_Severity // with Compat that of the anomaly, which is the highest of its reasons
	Text     string                  // the description of the reason, or the short one

	// Expected and Observed are what the schema expects and what the statistics have, in few words: "at most 120" and
	// "130". They are of all reasons, in both modes.
	Expected, Observed string
}

// report gives the reasons of an anomaly to Options.Report.
func (v *validation) report(path view.Path, reasons []rules.Reason, info *pb.AnomalyInfo, severity func(rules.Reason) pb.AnomalyInfo_Severity) {
	if v.opts.Report == nil {
		return
	}
	for _, r := range rules.Once(reasons) {
		f := Finding{Path: slices.Clone(path), Type: r.Type, Severity: severity(r), Text: r.Text(), Expected: r.Expected, Observed: r.Observed}
		if v.opts.Compat {
			f.Severity = info.GetSeverity()
		}
		v.opts.Report(f)
	}
}

// ofSlice returns a Report for findings whose paths begin with the name of a slice.
func ofSlice(report func(Finding), names []string) func(Finding) {
	if report == nil {
		return nil
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	return func(f Finding) {
		if len(f.Path) > 0 {
			f.Slice, f.Path[0] = CutSlice(f.Path[0], known)
			if len(f.Path) == 1 && f.Path[0] == "" {
				f.Path = nil
			}
		}
		report(f)
	}
}

// CutSlice takes the longest of some names of slices, as ValidateSlices writes it, from the first step of a
// path; the slice is empty if there is none.
func CutSlice(step string, known map[string]bool) (slice, rest string) {
	const end = ")::"
	inner, ok := strings.CutPrefix(step, "slice(")
	if !ok {
		return "", step
	}
	for at := strings.LastIndex(inner, end); at >= 0; at = strings.LastIndex(inner[:at], end) {
		if known[inner[:at]] {
			return inner[:at], inner[at+len(end):]
		}
	}
	return "", step
}

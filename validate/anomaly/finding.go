package anomaly

import (
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Finding is one reason of an anomaly, with what the message has no field for.
type Finding struct {
	Slice    string   // with Options.Slices, the slice that it is about; otherwise empty
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

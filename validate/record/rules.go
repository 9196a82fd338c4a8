package record

import (
	"slices"

	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

var customValidation = pb.AnomalyInfo_CUSTOM_VALIDATION.String()

// checkRules adds findings for the rules that a record breaks to those that were found before.
func (c *Checker) checkRules(record []byte, found []Finding) []Finding {
	if slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == BadRecord }) {
		return found
	}
	violations, err := c.rules.CheckRecord(c.message, record)
	if err != nil {
		return []Finding{badRecord(err)}
	}
	if len(violations) == 0 {
		return found
	}
	var rest more
	if last := len(found) - 1; last >= 0 && found[last].Rule == MoreFindings {
		rest.count(found[last])
		found = found[:last]
	}
	for _, v := range violations {
		f := Finding{
			Rule: customValidation, Example: v.Example, Step: v.Step, ValueIndex: v.Value, Count: v.Count, Offset: v.Offset,
			Expected: v.Expected, Observed: v.Observed, Warning: v.Rule.Warning,
		}
		path := view.Path{view.Step(v.Feature)}
		switch {
		case v.InList && c.message == example.TypeExampleList:
			path = view.Path{examplesStep, path[0]}
		case v.InList:
			path = view.Path{sequenceStep, path[0]}
		}
		f.Feature = path.String()
		if len(found) < c.max {
			found = append(found, f)
		} else {
			rest.count(f)
		}
	}
	return rest.appendTo(found)
}

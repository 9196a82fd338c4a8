package rules

import (
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// counted writes a count with commas: 4,000. Weights that are no integers have six digits.
func counted(f float64) string {
	s := number(f)
	if strings.ContainsAny(s, ".eIN") {
		return s
	}
	digits := strings.TrimPrefix(s, "-")
	sign := s[:len(s)-len(digits)]
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// percent writes a share as a percentage with six digits.
func percent(share float64) string { return cformat.Six(100*share) + "%" }

// shareLimit is the largest share that is allowed, in words.
func shareLimit(share float64) string {
	if !(share > 0) {
		return "none"
	}
	return "at most " + percent(share)
}

// unitOf is what a feature is in: records, or values of the struct that it lies in.
func unitOf(v *view.Feature) string {
	unit := "records"
	if v.Parent != nil {
		unit = "values of " + v.Parent.Path.String()
	}
	if v.Dataset.ByWeight {
		unit += " by weight"
	}
	return unit
}

// presentIn says in how many records a feature is, of how many.
func presentIn(v *view.Feature) string {
	return counted(v.Present()) + " of " + counted(v.Present()+v.Missing()) + " " + unitOf(v)
}

// missingIn says from how many records a feature is missing, of how many.
func missingIn(v *view.Feature) string {
	return counted(v.Missing()) + " of " + counted(v.Present()+v.Missing()) + " " + unitOf(v)
}

// seen lists the different numbers of values at a level of nesting, exactly: a range, where statistics do not
// say which of it there are.
func (e *entry) seen(level int) string {
	r := e.view.Counts()[level]
	if r.Max-r.Min > 1 { // both ends were seen
		if e.Lengths == nil {
			return rangeText(r)
		}
		lengths, all := e.Lengths(e.view.Common(), level)
		if len(lengths) == 0 {
			return rangeText(r)
		}
		text := ""
		for i, n := range lengths {
			if i > 0 {
				text += ", "
			}
			text += strconv.FormatUint(n, 10)
		}
		if left := all - len(lengths); left > 0 {
			text += " and " + strconv.Itoa(left) + " more up to " + strconv.FormatInt(r.Max, 10)
		}
		return text
	}
	if r.Min == r.Max {
		return strconv.FormatInt(r.Min, 10)
	}
	return strconv.FormatInt(r.Min, 10) + ", " + strconv.FormatInt(r.Max, 10)
}

func rangeText(r view.Range) string {
	return strconv.FormatInt(r.Min, 10) + " to " + strconv.FormatInt(r.Max, 10)
}

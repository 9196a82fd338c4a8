package report

import (
	"fmt"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A declaration is the entry of a feature in the schema. The zero value is no entry.
type declaration struct {
	feature *pb.Feature     // nil: not in the schema
	values  map[string]bool // values of the string domain; nil: any value
}

func newDeclaration(s *rules.Schema, path view.Path) declaration {
	f := s.Feature(path)
	if f == nil {
		return declaration{}
	}
	domain := f.GetStringDomain()
	if name := f.GetDomain(); name != "" {
		domain = s.StringDomain(name)
	}
	r := declaration{feature: f}
	if len(domain.GetValue()) > 0 {
		r.values = map[string]bool{}
		for _, v := range domain.GetValue() {
			r.values[v] = true
		}
	}
	return r
}

// isOutside reports whether a value is outside the string domain.
func (d declaration) isOutside(value string) bool { return d.values != nil && !d.values[value] }

// describe returns the declaration in one line.
func (d declaration) describe() string {
	f := d.feature
	if f == nil {
		return ""
	}
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if f.Type != nil {
		add("%s", f.GetType())
	}
	if p := f.GetPresence(); p != nil {
		switch fraction := p.GetMinFraction(); {
		case fraction >= 1:
			add("always present")
		case fraction > 0:
			add("present in at least %s", share(fraction, 1))
		}
		if n := p.GetMinCount(); n > 1 || n == 1 && p.GetMinFraction() < 1 {
			add("in at least %s", plural(int(min(p.GetMinCount(), 1<<30)), "example"))
		}
	}
	if v := f.GetValueCount(); v != nil {
		switch low, high := v.GetMin(), v.GetMax(); {
		case v.Min != nil && v.Max != nil && low == high:
			add("%s in each", plural(int(min(low, 1<<30)), "value"))
		case v.Max == nil:
			add("at least %s in each", plural(int(min(low, 1<<30)), "value"))
		default:
			add("%s to %s values in each", count(float64(low)), count(float64(high)))
		}
	}
	if n := len(f.GetShape().GetDim()); n > 0 && n <= 8 {
		var dims []string
		for _, dim := range f.GetShape().GetDim() {
			dims = append(dims, count(float64(dim.GetSize())))
		}
		add("shape %s", strings.Join(dims, " × "))
	}
	if n := f.GetIntDomain(); n != nil {
		if n.GetIsCategorical() {
			add("categories")
		}
		parts = append(parts, bounds(n.Min != nil, float64(n.GetMin()), n.Max != nil, float64(n.GetMax()))...)
	}
	if n := f.GetFloatDomain(); n != nil {
		parts = append(parts, bounds(n.Min != nil, float64(n.GetMin()), n.Max != nil, float64(n.GetMax()))...)
		if n.GetDisallowNan() {
			add("no NaN")
		}
	}
	if d.values != nil {
		add("%s", plural(len(d.values), "allowed value"))
	}
	if f.LifecycleStage != nil {
		add("%s", f.GetLifecycleStage())
	}
	return strings.Join(parts, ", ")
}

// bounds describes the minimum and the maximum of a number.
func bounds(hasLow bool, low float64, hasHigh bool, high float64) []string {
	switch {
	case hasLow && hasHigh:
		return []string{number(low) + " to " + number(high)}
	case hasLow:
		return []string{"at least " + number(low)}
	case hasHigh:
		return []string{"at most " + number(high)}
	}
	return nil
}

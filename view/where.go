package view

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/jsonscan"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
)

// linkTo returns the link of a mark of a statistics page: the search for its records.
func (h *Handler) linkTo(s report.Selection) string {
	where := whereOf(s)
	if where == "" {
		return ""
	}
	link := "./#/find?where=" + url.QueryEscape(where)
	if s.Side > 0 {
		link += "&set=" + strconv.Itoa(s.Side)
	}
	return link
}

// recordLink returns the link to a record.
func recordLink(file int, record int64) string {
	return "./#/records?file=" + strconv.Itoa(file) + "&record=" + strconv.FormatInt(record, 10)
}

// whereOf returns the expression that selects the records of a mark; "" if none does.
func whereOf(s report.Selection) string {
	name := featureExpr(s.Path)
	if name == "" {
		return ""
	}
	switch s.What {
	case report.MissingMark:
		if len(s.Path) > 1 && s.Path[0] == exampleStep { // missing in an example, not in a record
			return ""
		}
		return "!has(" + name + ")"
	case report.NaNMark:
		return "isnan(" + name + ")"
	case report.ValueMark:
		if s.Type == pb.FeatureNameStatistics_STRING {
			return "any(" + name + ") == " + strconv.Quote(s.Value)
		}
		if _, err := strconv.ParseInt(s.Value, 10, 64); err == nil && s.Type == pb.FeatureNameStatistics_INT {
			return "any(" + name + ") == " + s.Value
		}
		return "" // a float that is a category has a rounded label
	}
	if s.Low == s.High {
		if text := exactNumber(s.Low, s.Type); text != "" {
			return "any(" + name + ") == " + text
		}
		return ""
	}
	var bounds []string
	if !math.IsInf(s.Low, -1) {
		bounds = append(bounds, boundExpr(name, ">", s.Low, s.LowOpen, s.Type))
	}
	if !math.IsInf(s.High, 1) {
		bounds = append(bounds, boundExpr(name, "<", s.High, s.HighOpen, s.Type))
	}
	return "any(" + strings.Join(bounds, " && ") + ")"
}

// boundExpr returns the comparison of a feature with an end of a bar; side is > or <. Ends of bars are float64. They are moved to the
// nearest number that a value of the feature can be, on the side where the comparison selects the same values.
func boundExpr(name, side string, end float64, open bool, typ pb.FeatureNameStatistics_Type) string {
	up := (side == ">") != open // values from the end on, or below it
	if !open {
		side += "="
	}
	if typ == pb.FeatureNameStatistics_INT {
		if up {
			end = math.Ceil(end)
		} else {
			end = math.Floor(end)
		}
		return name + " " + side + " " + strconv.FormatFloat(end, 'f', 0, 64)
	}
	near := float32(end)
	switch {
	case up && float64(near) < end:
		near = math.Nextafter32(near, float32(math.Inf(1)))
	case !up && float64(near) > end:
		near = math.Nextafter32(near, float32(math.Inf(-1)))
	}
	return name + " " + side + " " + strconv.FormatFloat(float64(near), 'g', -1, 32)
}

// exactNumber returns a literal of exactly a value, "" if there is none.
func exactNumber(v float64, typ pb.FeatureNameStatistics_Type) string {
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return ""
	case typ == pb.FeatureNameStatistics_INT:
		if math.Abs(v) >= 1<<53 { // it may be rounded
			return ""
		}
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 32)
}

// The steps of paths in statistics that have the features of lists.
const (
	sequenceStep = "##SEQUENCE##"
	exampleStep  = "##EXAMPLES##"
)

// featureExpr returns a feature as expressions name it; "" for another path.
func featureExpr(path []string) string {
	switch {
	case len(path) == 1:
		return nameExpr(path[0])
	case len(path) == 2 && (path[0] == sequenceStep || path[0] == exampleStep):
		return "list(" + nameExpr(path[1]) + ")"
	}
	return ""
}

// nameExpr returns the name of a feature as expressions have it. A step of a path has a name that is not UTF-8 in base64.
func nameExpr(step string) string {
	if name, err := jsonscan.ParseName(step); err == nil && !utf8.ValidString(name) {
		step = name
	}
	if !strings.ContainsFunc(step, func(r rune) bool { return !strconv.IsPrint(r) }) {
		for _, form := range []string{step, "`" + step + "`"} {
			if f, err := expr.Compile("has(" + form + ")"); err == nil {
				if names, _ := f.Features(); len(names) == 1 && names[0] == step {
					return form
				}
			}
		}
	}
	return "feature(" + strconv.Quote(step) + ")"
}

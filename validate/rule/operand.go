package rule

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/validate/internal/view"
)

// A which names the data set of a statistic.
type which uint8

const (
	now which = iota
	before
	serving
	numData
)

var (
	dataNames  = [numData]string{"now", "before", "serving"}
	dataPhrase = [numData]string{"the data set", "the previous data set", "the serving data set"}

	slicePhrase = [numData]string{"the slice", "the slice of the previous data set", "the slice of the serving data set"}
)

// A ref is a statistic that a rule names.
type ref struct {
	statistic
	name    string
	feature string
	named   bool    // of a feature that the rule names
	second  operand // a literal; nil: none
	data    which
	at      int // byte in the rule
}

// A value is a number or a string.
type value struct {
	n float64
	s string
}

// A missing is the reason why there is no value.
type missing string

func (m missing) Error() string { return string(m) }

// An operand is a side of a comparison.
type operand interface {
	isText() bool
	text() string // as in the rule
	value(e *env) (value, error)
	refs(to []*ref) []*ref
}

type (
	number     float64
	str        string
	arithmetic struct {
		op          string
		left, right operand
	}
	negative    struct{ x operand }
	parentheses struct{ x operand }
	absolute    struct{ x operand }
)

func (number) isText() bool      { return false }
func (str) isText() bool         { return true }
func (r *ref) isText() bool      { return r.statistic.text != nil || r.slice }
func (arithmetic) isText() bool  { return false }
func (negative) isText() bool    { return false }
func (parentheses) isText() bool { return false }
func (absolute) isText() bool    { return false }

func (n number) text() string      { return formatNumber(float64(n)) }
func (s str) text() string         { return strconv.Quote(string(s)) }
func (a arithmetic) text() string  { return a.left.text() + " " + a.op + " " + a.right.text() }
func (n negative) text() string    { return "-" + n.x.text() }
func (p parentheses) text() string { return "(" + p.x.text() + ")" }
func (a absolute) text() string    { return "abs(" + a.x.text() + ")" }

func (r *ref) text() string {
	text := r.name
	if r.named {
		text += "(" + r.feature
		if r.second != nil {
			text += ", " + r.second.text()
		}
		text += ")"
	}
	if r.data != now {
		text += " " + dataNames[r.data]
	}
	return text
}

func (number) refs(to []*ref) []*ref        { return to }
func (str) refs(to []*ref) []*ref           { return to }
func (r *ref) refs(to []*ref) []*ref        { return append(to, r) }
func (a arithmetic) refs(to []*ref) []*ref  { return a.right.refs(a.left.refs(to)) }
func (n negative) refs(to []*ref) []*ref    { return n.x.refs(to) }
func (p parentheses) refs(to []*ref) []*ref { return p.x.refs(to) }
func (a absolute) refs(to []*ref) []*ref    { return a.x.refs(to) }

func (n number) value(*env) (value, error)        { return value{n: float64(n)}, nil }
func (s str) value(*env) (value, error)           { return value{s: string(s)}, nil }
func (p parentheses) value(e *env) (value, error) { return p.x.value(e) }

func (n negative) value(e *env) (value, error) {
	v, err := n.x.value(e)
	return value{n: -v.n}, err
}

func (a absolute) value(e *env) (value, error) {
	v, err := a.x.value(e)
	return value{n: math.Abs(v.n)}, err
}

func (a arithmetic) value(e *env) (value, error) {
	v, err := a.left.value(e)
	if err != nil {
		return v, err
	}
	w, err := a.right.value(e)
	switch a.op {
	case "+":
		v.n += w.n
	case "-":
		v.n -= w.n
	case "*":
		v.n *= w.n
	default:
		v.n /= w.n
	}
	return v, err
}

func (r *ref) value(e *env) (value, error) {
	d := e.data[r.data]
	if r.slice {
		return value{s: e.slice}, nil
	}
	if r.dataset != nil {
		return value{n: r.dataset(d.Dataset)}, nil
	}
	f := e.find(r)
	switch {
	case f == nil:
		return value{}, missing(fmt.Sprintf("there is no feature %s in %s", r.feature, e.phrase(r.data)))
	case r.statistic.text != nil:
		return value{s: r.statistic.text(f)}, nil
	case !r.of.has(f):
		return value{}, missing(fmt.Sprintf("%s has no value in %s: the feature has no %s", r.text(), e.phrase(r.data), classNames[r.of]))
	}
	switch {
	case r.distance != nil:
		current := e.findIn(now, r)
		if current == nil {
			return value{}, missing(fmt.Sprintf("there is no feature %s in %s", r.feature, e.phrase(now)))
		}
		return e.apart(r, current, f)
	case r.known != nil:
		var second value
		if r.second != nil {
			second, _ = r.second.value(e)
		}
		n, why := r.known(f, second)
		if why != "" {
			return value{}, missing(fmt.Sprintf("%s has no value in %s: %s", r.text(), e.phrase(r.data), why))
		}
		return value{n: n}, nil
	}
	return value{n: r.number(f)}, nil
}

// An env is what a rule is evaluated for.
type env struct {
	slice   string // "": all examples
	data    [numData]*dataset
	feature *view.Feature // that statistics without a name are of; nil: there are none
}

// phrase names a data set, or its slice.
func (e *env) phrase(data which) string {
	if e.slice == "" {
		return dataPhrase[data]
	}
	return slicePhrase[data]
}

// find returns the feature of a statistic, or nil.
func (e *env) find(r *ref) *view.Feature { return e.findIn(r.data, r) }

// findIn returns the feature of a statistic in one of the data sets, or nil.
func (e *env) findIn(data which, r *ref) *view.Feature {
	switch {
	case r.named:
		return e.data[data].feature(r.feature)
	case e.feature == nil:
		return nil
	}
	return e.data[data].ByPath(e.feature.Path)
}

// A dataset is the statistics of one data set.
type dataset struct {
	*view.Dataset
	byName map[string]*view.Feature
}

// feature returns the feature with a path as text, or with a name that is not taken apart.
func (d *dataset) feature(name string) *view.Feature { return d.byName[name] }

func newDataset(v *view.Dataset) *dataset {
	d := &dataset{v, map[string]*view.Feature{}}
	for _, f := range v.Features {
		if len(f.Path) == 1 {
			d.byName[f.Path[0]] = f
		}
	}
	for _, f := range v.Features {
		d.byName[f.Path.String()] = f
	}
	return d
}

// formatNumber writes a number for a person: integers in full, others with six digits.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

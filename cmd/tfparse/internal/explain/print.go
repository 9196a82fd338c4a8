package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// rowJSON returns the value that a parser with one feature parses from a record, as JSON.
func rowJSON(p *feature.Parser, g feature.Group, name string, record []byte) ([]byte, error) {
	b, err := p.Parse(record)
	if err != nil {
		return nil, err
	}
	printer := raggedjson.NewPrinter(p, nil)
	printer.Load(b)
	line, err := printer.AppendRow(nil, 0, tfrecord.Position{})
	if err != nil {
		return nil, err
	}
	if g == feature.InFeatures {
		return memberOf(line, name)
	}
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(line, &groups); err != nil {
		return nil, err
	}
	if g != feature.InExamples {
		return memberOf(groups[g.String()], name)
	}
	var examples []json.RawMessage
	if err := json.Unmarshal(groups[g.String()], &examples); err != nil {
		return nil, err
	}
	all := []byte{'['}
	for i, e := range examples {
		if i > 0 {
			all = append(all, ',')
		}
		v, err := memberOf(e, name)
		if err != nil {
			return nil, err
		}
		all = append(all, v...)
	}
	return append(all, ']'), nil
}

// memberOf returns the value of a feature in an object.
func memberOf(object []byte, name string) ([]byte, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		return nil, err
	}
	for member, v := range m {
		if n, err := jsonscan.ParseName(member); err == nil && n == name {
			return v, nil
		}
	}
	return nil, fmt.Errorf("no member %q in %s", name, object)
}

// Text writes the report as text. where is the position of the record.
func (r *Report) Text(w io.Writer, where string) {
	line := func(format string, args ...any) {
		fmt.Fprintln(w, console.OneLine(fmt.Sprintf(format, args...)))
	}
	if r.Fault == nil {
		line("%s: fits the spec", where)
	} else {
		line("%s: does not fit the spec: %v", where, r.Fault)
	}
	if r.Other != nil {
		line("%s", *r.Other)
	}
	for i := range r.Features {
		f := &r.Features[i]
		fmt.Fprintln(w)
		prefix := ""
		if f.Group != feature.InFeatures.String() {
			prefix = f.Group + " "
		}
		line("%s%q: %s", prefix, f.Name, f.Kind)
		for _, k := range f.Keys {
			k.printText(line, f.Group)
		}
		for _, p := range f.Partitions {
			line("  partition %d (%s) divides %s into %s%s", p.Level, p.Kind, cli.Plural(int64(p.Values), "value"), cli.Plural(int64(len(p.RowLengths)), "row"), lengthsText(p.RowLengths))
		}
		if f.Fault == nil {
			line("  gives %s", shorten(f.Row))
			continue
		}
		line("  does not fit: %v", f.Fault)
		if f.Fault.Remedy != "" {
			line("  would fit with %s", f.Fault.Remedy)
		}
	}
}

func (k *Key) printText(line func(string, ...any), group string) {
	head := fmt.Sprintf("  key %q, %s: ", k.Key, strings.Join(k.Roles, ", "))
	unit := "step"
	if group == feature.InExamples.String() {
		unit = "example"
	}
	switch {
	case k.Error != nil:
		line("%s%s", head, *k.Error)
	case !k.Found:
		line("%snone", head)
	case k.Units == nil:
		line("%s%s", head, k.Lists[0].valueText())
	default:
		line("%s%s", head, cli.Plural(int64(*k.Units), unit))
		for i := range k.Lists {
			line("    %s %d: %s", unit, *k.Lists[i].Unit, k.Lists[i].valueText())
		}
		if n := *k.Units - len(k.Lists); n > 0 {
			line("    and %s more", cli.Plural(int64(n), unit))
		}
	}
}

func (l *List) valueText() string {
	switch {
	case l.Error != nil:
		return *l.Error
	case !l.Found:
		return "none"
	case l.Kind == nil:
		return "no kind"
	}
	values := string(l.Values)
	if l.Count > shownValues {
		values = strings.TrimSuffix(values, "]") + ",…]"
	}
	return fmt.Sprintf("%s of %s: %s", cli.Plural(int64(l.Count), "value"), *l.Kind, values)
}

// featureText returns a short description of a feature of a spec.
func featureText(f feature.Feature) string {
	switch f := f.(type) {
	case feature.FixedLen:
		text := fmt.Sprintf("fixed_len %s of shape %v", f.DType, f.Shape)
		if f.Default.Len() > 0 {
			text += ", with a default"
		}
		return text
	case feature.FixedLenSequence:
		return fmt.Sprintf("fixed_len_sequence %s of shape %v", f.DType, f.Shape)
	case feature.Sparse:
		return fmt.Sprintf("sparse %s of size %d", f.DType, f.Size)
	case feature.Ragged:
		var parts []string
		for _, p := range f.Partitions {
			what, _ := feature.PartitionKey(p)
			if n, ok := p.(feature.UniformRowLength); ok {
				what = fmt.Sprintf("%s %d", what, n)
			}
			parts = append(parts, what)
		}
		text := fmt.Sprintf("ragged %s", f.DType)
		if parts != nil {
			text += ", partitions " + strings.Join(parts, ", ")
		}
		return text
	}
	return fmt.Sprintf("var_len %s", feature.DTypeOf(f))
}

func lengthsText(lengths []int) string {
	if len(lengths) == 0 {
		return ""
	}
	n := min(len(lengths), shownValues)
	text := " of " + strings.Trim(strings.ReplaceAll(fmt.Sprint(lengths[:n]), " ", ", "), "[]")
	if n < len(lengths) {
		text += ", …"
	}
	return text
}

// shorten cuts long JSON.
func shorten(b []byte) string {
	const most = 160
	if len(b) <= most {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:most]), "") + "…"
}

package quality

import (
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// byRow calls each for every row of the counts, with the findings of the row that are
// printed. The last row may be that of all pairs beyond the limits.
func (f *findings) byRow(each func(n *count, printed []*finding)) {
	printed := map[*count][]*finding{}
	for i := range f.all {
		n := f.counts.pairs[pair{f.all[i].Slice, f.all[i].Feature, f.all[i].Rule}]
		if n == nil {
			n = &f.counts.other
		}
		printed[n] = append(printed[n], &f.all[i])
	}
	for _, n := range f.counts.rows() {
		each(n, printed[n])
	}
	if n := &f.counts.other; n.sum().Findings > 0 {
		each(n, printed[n])
	}
}

// junit writes a test suite: a case for every feature and rule that have findings, or one
// that passes.
func (f *findings) junit(dst []byte) []byte {
	var cases []cli.TestCase
	f.byRow(func(n *count, printed []*finding) {
		outcome := cli.Warned
		if n.Severity == "error" {
			outcome = cli.Failure
		}
		properties := []cli.Property{{Name: "findings", Value: strconv.FormatUint(n.sum().Findings, 10)}}
		if n.Findings > 0 {
			properties = append(properties, cli.Property{Name: "records", Value: strconv.FormatUint(n.Records, 10)})
		}
		one := cli.TestCase{Name: n.title(), Class: "schema", Properties: &cli.Properties{All: properties}}
		if n.Findings > n.printed {
			one.Outcomes = append(one.Outcomes, outcome(n.Rule, n.sum().text()))
		}
		for _, found := range printed {
			one.Outcomes = append(one.Outcomes, outcome(found.Rule, found.place+found.Text))
		}
		cases = append(cases, one)
	})
	if len(cases) == 0 {
		cases = []cli.TestCase{{Name: "schema", Class: "schema"}}
	}
	return cli.AppendJUnit(dst, "tfparse validate", cases)
}

// github writes an annotation for every feature and rule that have findings, since GitHub shows only
// a few of them, and a notice with the total.
func (f *findings) github(dst []byte) []byte {
	f.byRow(func(n *count, printed []*finding) {
		level, file, text := "warning", f.uri, n.sum().text()
		if n.Severity == "error" {
			level = "error"
		}
		if len(printed) > 0 {
			first := printed[0]
			if first.File != nil {
				file = string(*first.File)
			}
			if text = first.place + first.Text; n.Findings > 1 {
				text = n.sum().text() + "; the first: " + text
			}
		}
		dst = cli.AppendGitHub(dst, level, file, n.title(), text)
	})
	return fmt.Appendf(dst, "::notice title=tfparse validate::%s in %s\n", f.counts.sum().text(), cli.Plural(int64(f.of), "record"))
}

// title names a row.
func (n *count) title() string {
	if n.Rule == "" {
		return "other features and rules"
	}
	return n.name() + " " + n.Rule
}

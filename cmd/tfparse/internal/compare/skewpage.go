package compare

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/validate/report"
)

// pageSamples is how many pairs a page has without --samples.
const pageSamples = 20

// page writes the counts and the sampled pairs as a page.
func (c *skew) page(e *cli.Env, failed []skewFailure) error {
	in := &report.Skew{Pairs: uint64(c.skewer.pairs), Differing: uint64(c.skewed), Note: "tfparse skew"}
	var read []string
	for i, side := range c.in {
		files := scan.FileSetOf(side)
		in.Sides[i], in.Sizes[i] = files.Title(), files.SizeText()
		read = append(read, scan.Names(side)...)
	}
	in.Title = "Skew between " + in.Sides[0] + " and " + in.Sides[1]
	for i, s := range c.skewer.all() {
		in.Features = append(in.Features, report.SkewFeature{
			Name: s.title(), Base: uint64(s.of(0)), Test: uint64(s.of(1)), Match: uint64(s.match), Mismatch: uint64(s.mismatch),
			BaseOnly: uint64(s.only[0]), TestOnly: uint64(s.only[1]), Failed: i < len(failed), // both have the same order
		})
	}
	if c.given("fail-above") && c.skewer.pairs == 0 {
		in.Failed = append(in.Failed, "no record of one side has the key of a record of the other")
	}
	if len(failed) > 0 {
		in.Failed = append(in.Failed, fmt.Sprintf("%s above --fail-above %v", cli.Plural(int64(len(failed)), "feature"), c.above))
	}
	g := &c.groups
	in.Facts = []report.SkewFact{{Name: "Keys", Count: uint64(g.keys)}, {Name: "Only in A", Count: uint64(g.missing[1])}, {Name: "Only in B", Count: uint64(g.missing[0])}}
	for _, f := range []report.SkewFact{
		{Name: "Keys that occur more than once", Count: uint64(g.repeated)}, {Name: "Pairs not compared", Count: uint64(g.skipped + g.uncompared)},
		{Name: "Records of A without the key", Count: uint64(c.keyless[0])}, {Name: "Records of B without the key", Count: uint64(c.keyless[1])},
		{Name: "Skipped records", Count: uint64(c.uncompared)}, {Name: "Features not listed", Count: uint64(c.skewer.more)},
	} {
		if f.Count > 0 {
			in.Facts = append(in.Facts, f)
		}
	}
	for _, s := range c.shown {
		in.Samples = append(in.Samples, report.SkewSample{Key: *s.Key, Places: [2]string{address(*s.A), address(*s.B)}, Changes: slices.Clone(s.lines)})
	}
	out, err := e.Create(c.output, append(read, c.spec)...)
	if err != nil {
		return err
	}
	b := bytes.NewBuffer(out.Buf)
	err = report.WriteSkew(b, in)
	out.Buf = b.Bytes()
	return out.Finish(err)
}

package schema

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	schemas "github.com/tfparse/tfparse/validate/schema"
	"github.com/tfparse/tfparse/validate/stats"
)

// fromStatistics prints a schema inferred from statistics, or with --update a schema changed according to statistics.
func (c *schema) fromStatistics(source *statsource.Source) error {
	var before *pb.Schema
	var text []byte
	var err error
	switch {
	case c.sample > 0 || c.ragged:
		return cli.Usagef("--sample and --ragged are for specs, not for schemas from statistics")
	case c.update != "":
		if before, text, err = statsource.ReadSchema(c.env, c.update); err != nil {
			return err
		}
	}
	if !c.compat.TFDV() {
		c.reading.Prefer(statsource.Kinds(before))
	}
	out, err := c.env.Create(c.output, scan.Names(source.Inputs)...)
	if err != nil {
		return err
	}
	g := &statsource.Gatherer{Env: c.env, Reading: &c.reading, Options: stats.Options{Schema: before}, Jobs: c.jobs}
	if err := g.Gather(source, c.typ); err != nil {
		return out.Finish(err)
	}
	list := source.Statistics
	opts := c.schemaOptions()
	var why explanation
	if c.explain {
		why.addHeader(list)
		opts.Explain = why.addDecision
	}
	var b []byte
	if before == nil {
		b, err = c.inferSchema(list, opts)
	} else {
		b, err = updateSchema(before, text, list, opts)
	}
	if err != nil {
		return out.Finish(err)
	}
	return c.writeOutput(out, b, why.buf)
}

// inferSchema infers a schema from statistics, and returns it in the language of --emit.
func (c *schema) inferSchema(list *pb.DatasetFeatureStatisticsList, opts *schemas.Options) ([]byte, error) {
	s, err := schemas.Infer(list, opts)
	if err != nil {
		return nil, err
	}
	if c.emit == emitTFMD {
		return pbtext.Marshal(s), nil
	}
	spec, err := featurepb.FromSchemaMessage(s)
	if err != nil {
		return nil, err
	}
	return c.encodeSpec(spec, c.emit)
}

// updateSchema changes a schema according to statistics. If text is its text format, comments and order are kept.
func updateSchema(before *pb.Schema, text []byte, list *pb.DatasetFeatureStatisticsList, opts *schemas.Options) ([]byte, error) {
	s, err := schemas.Update(before, list, opts)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return pbtext.Marshal(s), nil
	}
	return pbtext.Patch(text, s)
}

// lintSchemas reports the problems of schemas.
func (c *schema) lintSchemas(e *cli.Env, names []string) error {
	if other := c.otherFlag(); other != "" {
		return cli.Usagef("--lint cannot be combined with --%s", other)
	}
	names, err := scan.OrStdin(e, names)
	if err != nil {
		return err
	}
	var in []scan.Input
	for _, name := range names {
		in = append(in, scan.Input{Name: name})
	}
	if err := scan.OneStdin(in); err != nil {
		return err
	}
	out := e.Report()
	for _, name := range names {
		s, _, err := statsource.ReadSchema(e, name)
		if err != nil {
			return errors.Join(out.Finish(nil), err)
		}
		problems := schemas.Lint(s)
		for _, p := range problems {
			out.Buf = fmt.Appendf(out.Buf, "%s\n", console.OneLine(fmt.Sprintf("%s: %v: %v", name, p.Type, p)))
			e.Raise(cli.ExitNegative)
		}
		if len(problems) == 0 {
			out.Buf = fmt.Appendf(out.Buf, "%s: ok\n", console.OneLine(name))
		}
	}
	return out.Finish(nil)
}

// An explanation is the text of --explain: the reason for each decision in a schema.
type explanation struct {
	buf  []byte
	path string // feature of the last line
}

// addHeader adds the number of examples.
func (r *explanation) addHeader(list *pb.DatasetFeatureStatisticsList) {
	if all := list.GetDatasets(); len(all) == 1 {
		r.buf = fmt.Appendf(r.buf, "%d examples\n", all[0].GetNumExamples())
	}
}

// addDecision adds a decision. Consecutive decisions about one feature share a heading.
func (r *explanation) addDecision(d schemas.Decision) {
	if path := d.PathString(); path != r.path {
		r.path = path
		r.buf = fmt.Appendf(r.buf, "\n%s\n", console.OneLine(path))
	}
	r.buf = fmt.Appendf(r.buf, "  %-9s %s\n", d.About, console.OneLine(d.Chosen+": "+d.Why))
}

// writeOutput writes text to the output. With --explain it writes text only to the -o file, and why to standard output.
func (c *schema) writeOutput(out *cli.Output, text, why []byte) error {
	if !c.explain {
		out.Buf = append(out.Buf, text...)
		return out.Finish(nil)
	}
	if out.File != nil {
		out.Buf = append(out.Buf, text...)
		if err := out.Finish(nil); err != nil {
			return err
		}
	}
	std := c.env.Report()
	std.Buf = append(std.Buf, why...)
	return std.Finish(nil)
}

// featuresFile returns the features.json that the arguments name, if they name only that file or its directory.
func featuresFile(args []string) (name string, ok bool) {
	if len(args) != 1 {
		return "", false
	}
	if name, ok := scan.Beside(scan.VersionDir(args[0]), tfds.FeaturesFile); ok {
		return name, true
	}
	return args[0], filepath.Base(args[0]) == tfds.FeaturesFile
}

// fromTFDS prints the spec of a features.json.
func (c *schema) fromTFDS(name string) error {
	for _, flag := range []string{"sample", "type", "compat", "max-domain", "max-features", "no-shape", "min-fraction-slack", "range-margin", "update", "explain", "compression"} {
		if c.flagGiven(flag) {
			return cli.Usagef("--%s cannot be used with %s; name files of records instead", flag, name)
		}
	}
	language := c.emit
	if !c.emitGiven() && filepath.Ext(c.output) == ".pbtxt" {
		language = emitTFMD
	}
	if err := checkSpecName(c.output, language); err != nil {
		return err
	}
	b, err := scan.ReadNamed(name)
	if err != nil {
		return scan.Named(name, err)
	}
	spec, notes, err := tfds.Spec(b, &tfds.Options{Ragged: c.ragged, KeepStrings: language == emitTFMD})
	if err != nil {
		return scan.Named(name, scan.WithoutFile(err))
	}
	var text []byte
	if language == emitTFDS { // a spec has fewer classes, such as no Image and no ClassLabel
		text, notes = b, nil
	} else if text, err = c.encodeSpec(spec, language); err != nil {
		return cli.BadSpec("--emit "+emissionNames[language], err)
	}
	out, err := c.env.Create(c.output, name)
	if err != nil {
		return err
	}
	for _, n := range notes {
		what := n.Text
		if n.Omitted {
			what = "left out: " + what
			c.env.Raise(cli.ExitSkipped)
		}
		c.env.Console.Print(fmt.Sprintf("%s: feature %q: %s", name, n.Feature, what))
	}
	out.Buf = append(out.Buf, text...)
	return out.Finish(nil)
}

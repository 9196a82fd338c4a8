package schema

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	schemas "github.com/tfparse/tfparse/validate/schema"
	"github.com/tfparse/tfparse/validate/stats"
)

// fromStatistics prints the schema that statistics make, or a schema that they
// change.
func (c *schema) fromStatistics(source *statsource.Source) error {
	var before *pb.Schema
	var text []byte
	var err error
	switch {
	case c.sample > 0 || c.ragged:
		return cli.Usagef("--sample and --ragged are for specs, not for schemas of statistics")
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
	opts := c.options()
	var why reasoning
	if c.explain {
		why.begin(list)
		opts.Explain = why.add
	}
	var b []byte
	if before == nil {
		b, err = c.inferred(list, opts)
	} else {
		b, err = updated(before, text, list, opts)
	}
	if err != nil {
		return out.Finish(err)
	}
	return c.deliver(out, b, why.buf)
}

// inferred infers a schema, and writes it in the language that was asked for.
func (c *schema) inferred(list *pb.DatasetFeatureStatisticsList, opts *schemas.Options) ([]byte, error) {
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
	return write(spec, c.emit)
}

// updated changes a schema, in its text if it has one.
func updated(before *pb.Schema, text []byte, list *pb.DatasetFeatureStatisticsList, opts *schemas.Options) ([]byte, error) {
	s, err := schemas.Update(before, list, opts)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return pbtext.Marshal(s), nil
	}
	return pbtext.Patch(text, s)
}

// lintAll says what makes no sense in schemas.
func (c *schema) lintAll(e *cli.Env, names []string) error {
	if other := c.besideLint(); other != "" {
		return cli.Usagef("--lint goes with no other flag, got --%s", other)
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
	out, err := e.Create("")
	if err != nil {
		return err
	}
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

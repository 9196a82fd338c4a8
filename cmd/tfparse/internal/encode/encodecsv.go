package encode

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// checkCSV refuses flags that have no meaning for an input that is CSV.
func (c *encode) checkCSV(in []scan.Input) error {
	i := slices.IndexFunc(in, func(i scan.Input) bool { return i.Table != nil })
	switch {
	case i < 0:
		return nil
	case c.spec != "":
		return cli.Usagef("--spec is for JSON lines, and %s is CSV", in[i].Name)
	case c.typ != example.TypeAuto && c.typ != example.TypeExample:
		return cli.Usagef("--type %v: rows of CSV become records of type %v, and %s is CSV", c.typ, example.TypeExample, in[i].Name)
	}
	return nil
}

// rows writes the rows of a file of CSV, behind the lines before it.
func (c *encode) rows(in scan.Input, opts *scan.OldOptions) error {
	if err := c.pool.Drain(); err != nil {
		return err
	}
	return scan.Walk(c.env.Ctx, []scan.Input{in}, opts, rowWriter{c})
}

// A rowWriter writes the records that rows become.
type rowWriter struct{ c *encode }

func (rowWriter) Begin(*scan.OldFile) error { return nil }

func (rowWriter) End(*scan.OldFile) error { return nil }

func (w rowWriter) Record(rec []byte, pos tfrecord.Position) error {
	if err := checkSize(len(rec), w.c.reading.MaxRecord()); err != nil {
		return w.c.fault(scan.Misfit(pos, err))
	}
	return w.c.out.Write(rec)
}

func (w rowWriter) Skipped(fault *scan.Fault) error { return w.c.fault(fault) }

// isColumn reports whether a file of CSV has a column of that name.
func isColumn(name string, in []scan.Input) bool {
	return slices.ContainsFunc(in, func(i scan.Input) bool { return i.Table != nil && slices.Contains(i.Table.Columns(), name) })
}

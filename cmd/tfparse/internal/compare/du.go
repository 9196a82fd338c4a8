package compare

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/tfrecord"
)

// Du says where the bytes of files are.
func Du() *cli.Command {
	c := &du{}
	return &cli.Command{
		Name: "du",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.each, "each", false, "print a table for each file, and one for all")
			scan.TypeVar(fs, &c.typ)
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "work with `N` goroutines")
			c.reading.Add(fs)
		},
		Run: c.run,
	}
}

type du struct {
	reading scan.Flags
	typ     example.MessageType
	each    bool
	jobs    int
	format  cli.Format

	env   *cli.Env
	out   *cli.Output
	total *usage
	file  *usage // the total, but for --each
	done  []duReport
	free  freeList[*ledger]
	names message.Shared // of all parts
}

// A usage is what files have.
type usage struct {
	ledger
	codecs []string // in the order of the files
	stored int64
}

func (c *du) run(e *cli.Env, args []string) error {
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	if c.out, err = e.Create(""); err != nil {
		return err
	}
	c.total = &usage{}
	src, err := c.reading.Open(e, in, &scan.Options{Type: c.typ, Unknown: true, Begin: c.begin, End: c.end})
	if err == nil {
		sum := scan.Sum[*ledger]{Workers: c.jobs, Fresh: c.fresh, Add: (*ledger).add, Merge: c.merge}
		err = sum.Run(src)
	}
	if err != nil {
		return c.out.Finish(err)
	}
	switch {
	case c.format == cli.FormatJSON:
		c.out.JSON(struct {
			duReport
			Files []duReport `json:"files,omitempty"`

			PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
		}{c.total.report(""), c.done, cli.JSONNames(c.reading.PassedOver)})
	case !c.each || len(in) > 1:
		title := ""
		if c.each {
			title = "total"
		}
		c.print(c.total, title)
	}
	return c.out.Finish(nil)
}

func (c *du) begin(*scan.File) error {
	c.file = c.total
	if c.each {
		c.file = &usage{}
	}
	return nil
}

func (c *du) fresh(t example.MessageType) *ledger {
	if l, ok := c.free.take(t); ok {
		return l
	}
	return newPart(t, &c.names)
}

func (c *du) merge(l *ledger) error {
	if c.file.merge(l) {
		c.free = append(c.free, l)
	}
	return nil
}

func (c *du) end(f *scan.File) error {
	if u := f.Unknown; u != nil {
		c.file.records += u.Records
		c.file.payloads += u.Bytes - u.Records*(tfrecord.HeaderSize+tfrecord.FooterSize)
	}
	if !f.Opened {
		return nil
	}
	c.file.stored += f.Stored
	codec := f.Codec.String()
	if f.Codec == tfrecord.Auto {
		codec = "unknown"
	}
	if !slices.Contains(c.file.codecs, codec) {
		c.file.codecs = append(c.file.codecs, codec)
	}
	if !c.each {
		return nil
	}
	if c.format == cli.FormatJSON {
		c.done = append(c.done, c.file.report(f.Name))
	} else {
		c.print(c.file, f.Name)
		c.out.Buf = append(c.out.Buf, '\n')
	}
	c.total.stored += c.file.stored
	if !slices.Contains(c.total.codecs, codec) {
		c.total.codecs = append(c.total.codecs, codec)
	}
	c.total.merge(&c.file.ledger)
	return c.out.Flush()
}

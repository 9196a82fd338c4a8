package encode

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Command turns JSON lines into records.
func Command() *cli.Command {
	c := &encode{}
	c.reading.AnyName = true
	return &cli.Command{
		Name:  "encode",
		Args:  "[FILE...] -o OUT",
		Short: "turn JSON lines or CSV into records",
		Long: `
Read JSON lines, from standard input if no file is named, and write one record
for each. The message type is detected from the lines unless --type is given.
Lines of tfparse cat --typed, and of cat --spec with the same --spec, give back
the same features: encode is the exact inverse of these two.

The lines of cat without --typed lose some information. In that form a list of
whole numbers is int64; a list in which any number has a point or an exponent, or
which has numbers and "NaN" or "Infinity", is float32; strings, {"b64": "..."} and
{"hex": "..."} are bytes; an empty list is a feature without kind, as null is.
--kind sets the kind of a feature whose values are ambiguous: jq, for one, prints
400.0 as 400. TensorFlow does not parse a feature that has different kinds in
different records: that is a warning, once for each feature, and with
--strict-kinds an error. Numbers are rounded to the nearest float32; one that is
too large for it, or so small that it would be 0, is an error. The members
"_file", "_record" and "_offset" and blank lines are ignored.

A line with "context" and "feature_lists" is a SequenceExample, one with "examples"
an ExampleListWithContext. A line with "context" alone is an Example with a feature
of that name, as in {"context": {"int64": [1]}}; with --type sequence or --type
elwc it is the context of a message of that type.

With --spec the lines are those of tfparse cat --spec, one for each record: every
feature is written as the spec parses it, so that the records give the same
columns. A feature that a line leaves out gets its default, or no values; it is an
error if the spec requires it.

CSV, which is FILE.csv, FILE.csv.gz, and with --input-format csv every input, has a record
for each row, with a feature for each column, which has no kind where the cell is empty.
The types of columns are those that tfparse stats --help describes, and --kind sets that
of a column: a cell that is no such value is an error, but 23.0 is an int64.`,
		Examples: []string{
			"tfparse cat testdata/recipes.tfrecord | tfparse encode -o copy.tfrecord --compression gzip",
			`echo '{"context": {"shown": 0}}' | tfparse encode --spec testdata/ranking.spec.json -o one.tfrecord`,
			`printf 'id,zip\n1,00501\n' | tfparse encode --input-format csv --kind id=float32 -o - | tfparse cat -`,
		},
		Flags: func(fs *pflag.FlagSet) {
			c.writing.Add(fs)
			scan.TypeVar(fs, &c.typ, "write records of")
			fs.StringArrayVar(&c.kinds, "kind", nil, "set the kind of a feature, `NAME=KIND`: int64, float32 or string; may be repeated")
			scan.SpecVar(fs, &c.spec, "read lines as rows of `SPEC`: a .json or .pbtxt file")
			fs.BoolVar(&c.strict, "strict-kinds", false, "fail if a feature has several kinds, also with --on-error skip")
			cli.JobsVar(fs, &c.jobs, "use `N` goroutines")
			cli.AllowEmptyVar(fs, &c.allowEmpty)
			c.reading.AddMaxRecord(fs, "refuse lines, rows and records of more than `SIZE` bytes, as 64MiB")
			c.reading.AddCommon(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "json")
		},
		Run: c.run,
	}
}

type encode struct {
	reading scan.Flags // the common flags only
	writing cli.Writing
	typ     example.MessageType
	kinds   []string

	spec string

	allowEmpty bool
	strict     bool
	jobs       int

	env      *cli.Env
	out      *cli.RecordOutput
	progress *console.Progress // may be nil
	pool     *scan.Pool
	enc      *recordjson.Encoder // of the lines until one shows the type; nil with a spec
	forks    forks
	kind     kindTable
}

var errLongLine = errors.New("line exceeds the size limit")

func (c *encode) run(e *cli.Env, args []string) error {
	opts, err := c.writing.Options()
	if err != nil {
		return err
	}
	kinds, err := parseKinds(c.kinds)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if err := scan.NoTerminal(e, "JSON lines"); err != nil {
			return err
		}
		args = []string{scan.Stdin}
	}
	c.reading.SetKinds(kinds)
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	if err := c.checkCSV(in); err != nil {
		return err
	}
	c.env = e
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	var parser *feature.Parser
	if c.spec != "" {
		if parser, err = c.parser(); err != nil {
			return err
		}
	}
	if c.out, err = e.CreateRecords(c.writing.Output, scan.Names(in), opts, c.jobs); err != nil {
		return err
	}
	c.pool = scan.StartPool(c.jobs, c.out.Output, c.fault)
	defer c.pool.Close()
	c.pool.Finish = c.finish
	if parser != nil {
		err = c.pool.Use(func() scan.Formatter { return newRowLines(parser, c.reading.MaxRecord()) })
	} else {
		c.enc = recordjson.NewEncoder(c.typ, kinds)
		err = c.useFork()
	}
	if err == nil {
		err = c.files(in)
	}
	if err == nil {
		err = c.pool.Drain()
	}
	if err == nil && c.enc != nil && c.out.Records > 0 {
		err = c.reading.MissingFeatures(e, false, c.missing(in))
	}
	if err == nil && c.out.Records == 0 && !c.allowEmpty {
		// An input that failed without a word is the usual reason, and an empty file
		// would take the place of a good one.
		reason := "the input has no records"
		if e.Skipped.Any() {
			reason = "no line of the input became a record"
		}
		err = c.out.RefuseEmpty(reason)
	}
	if err := c.out.Finish(err); err != nil || c.enc == nil {
		return err
	}
	c.kind.printHidden(e.Console.Print)
	return nil
}

// missing is a sentence for each name of --kind that no line has.
func (c *encode) missing(in []scan.Input) (texts []string) {
	for _, name := range c.enc.Unused(c.forks.all...) {
		if !isColumn(name, in) {
			texts = append(texts, fmt.Sprintf("no line has a feature %q, which --kind names", name)+cli.Suggest(name, c.kind.names()))
		}
	}
	return texts
}

// parseKinds reads the values of --kind.
func parseKinds(flags []string) (map[string]example.Kind, error) {
	kinds := map[string]example.Kind{}
	for _, s := range flags {
		i := strings.LastIndexByte(s, '=')
		if i < 0 {
			return nil, cli.Usagef("--kind %s: want NAME=KIND", s)
		}
		kind, ok := recordjson.ParseKind(s[i+1:])
		if !ok {
			return nil, cli.Usagef("--kind %s: want one of int64, float32, string", s)
		}
		name, err := jsonscan.ParseName(s[:i])
		if err != nil {
			return nil, cli.Usagef("--kind: %v", err)
		}
		kinds[name] = kind
	}
	return kinds, nil
}

func (c *encode) files(in []scan.Input) error {
	opts := &scan.OldOptions{}
	return c.reading.With(c.env, in, opts, func() error {
		c.progress = opts.Progress
		for _, i := range in {
			err := c.file(i, opts)
			if c.env.Ctx.Err() != nil {
				return c.env.Ctx.Err()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// file encodes one input.
func (c *encode) file(in scan.Input, opts *scan.OldOptions) error {
	if in.Table != nil {
		return c.rows(in, opts)
	}
	src, err := c.open(in)
	if err != nil {
		return c.fault(scan.Unreadable(in.Name, err))
	}
	defer src.Close()
	return c.lines(in.Name, &lineSource{c.env.Ctx, src, c.progress})
}

// open opens an input.
func (c *encode) open(i scan.Input) (io.ReadCloser, error) {
	switch {
	case i.Err != nil:
		return nil, i.Err
	case i.Name == scan.Stdin:
		return io.NopCloser(c.env.Stdin), nil
	}
	return storage.Open(i.Name)
}

// A lineSource counts what is read for the progress, and fails once its context is done.
type lineSource struct {
	ctx      context.Context
	r        io.Reader
	progress *console.Progress
}

func (s *lineSource) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	s.progress.Bytes(n)
	return n, err
}

func (c *encode) fault(f *scan.Fault) error { return c.reading.Fault(c.env, f) }

// lines encodes each line of one input.
func (c *encode) lines(name string, src io.Reader) error {
	r := bufio.NewReaderSize(src, 256<<10)
	if err := foreign(r, name); err != nil {
		return c.drained(c.fault(scan.Unreadable(name, err)))
	}
	var long []byte
	for n := int64(1); ; n++ {
		line, err := readLine(r, &long, c.reading.MaxRecord())
		switch {
		case err == nil && len(bytes.TrimSpace(line)) == 0:
			continue
		case err == nil:
			if err := c.add(name, n, line); err != nil {
				return err
			}
			continue
		}
		if failed := c.pool.Drain(); failed != nil {
			return failed
		}
		switch _, ok := errors.AsType[*os.PathError](err); {
		case err == io.EOF:
			return nil
		case err == errLongLine:
			if err := c.fault(misfitOf(name, n, err)); err != nil {
				return err
			}
		case ok || c.env.Ctx.Err() != nil:
			return c.fault(scan.Unreadable(name, err))
		default:
			return c.fault(scan.Unreadable(name, fmt.Errorf("line %d: %w", n, err)))
		}
	}
}

// drained brings the output up to date, if err does not end the command.
func (c *encode) drained(err error) error {
	if err != nil {
		return err
	}
	return c.pool.Drain()
}

// misfitOf is the fault of a line that makes no record.
func misfitOf(name string, n int64, err error) *scan.Fault {
	return scan.Misfit(tfrecord.Position{Name: name, Record: -1, Offset: -1}, fmt.Errorf("line %d: %w", n, err))
}

// readLine returns the next line without its newline, lent until the next
// call. long is memory for lines that the buffer of r does not hold. A line of
// more than limit bytes is read to its end, not kept, and is errLongLine.
func readLine(r *bufio.Reader, long *[]byte, limit int64) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		line = line[:len(line)-1]
	}
	if err == bufio.ErrBufferFull {
		*long = append((*long)[:0], line...)
		size := int64(len(line))
		for err == bufio.ErrBufferFull {
			line, err = r.ReadSlice('\n')
			size += int64(len(line))
			if size <= limit+1 {
				*long = append(*long, line...)
			}
		}
		if err == nil {
			size--
		}
		if size > limit {
			line = nil
			if err == nil || err == io.EOF {
				return nil, errLongLine
			}
		} else {
			line = (*long)[:size]
		}
	} else if int64(len(line)) > limit && (err == nil || err == io.EOF) {
		return nil, errLongLine
	}
	if err == io.EOF && len(line) > 0 {
		return line, nil // the last line need not end
	}
	return line, err
}

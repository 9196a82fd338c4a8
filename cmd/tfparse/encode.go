package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

func encodeCommand() *command {
	c := &encode{}
	c.reading.anyName = true
	return &command{
		name:  "encode",
		args:  "[FILE...] -o OUT",
		short: "turn JSON lines into records",
		long: `
Read JSON lines, from standard input if no file is named, and write one record
for each. The type is found from the lines themselves unless it is given. Lines
of tfparse cat --typed, and of cat --spec with the same --spec, give back the
same features: these two are the exact inverses of cat.

The lines of plain cat do not tell everything. In that form a list of whole
numbers is int64; a list in which any number has a point or an exponent, or
numbers stand beside "NaN" or "Infinity", is float32; strings, {"b64": "..."} and
{"hex": "..."} are bytes; an empty list is a feature without kind, as null is.
--kind says what a feature is where its values leave that open: jq, for one,
prints 400.0 as 400. Numbers are rounded to
the nearest float32; one that is too large for it, or so small that it would be
0, is an error. The members "_file", "_record" and "_offset" are ignored, and so
are blank lines.

A line with "context" and "feature_lists" is a SequenceExample, one with "examples"
an ExampleListWithContext. A line with "context" alone is an Example with a feature
of that name, as {"context": {"int64": [1]}}: --type sequence or --type elwc takes
it as the context of one of the others.

With --spec the lines are those of tfparse cat --spec, one for each record: every
feature is written as the spec parses it, so that the records give the same
columns. A feature that a line leaves out is as one that a record does not have:
its default, or empty; an error if the spec requires it.`,
		examples: []string{
			"tfparse cat testdata/recipes.tfrecord | tfparse encode -o copy.tfrecord --compression gzip",
			`echo '{"score": [1, 2.5], "tags": []}' | tfparse encode -o - | tfparse cat --typed -`,
			`echo '{"context": {"shown": 0}}' | tfparse encode --spec testdata/ranking.spec.json -o one.tfrecord`,
		},
		flags: func(fs *pflag.FlagSet) {
			c.writing.add(fs)
			enumVar(fs, &c.typ, "type", typeNames, "write records of `TYPE`: auto, example, sequence, elwc or raw")
			fs.StringArrayVar(&c.kinds, "kind", nil, "feature `NAME=KIND` is int64, float32 or string; may be repeated")
			specVar(fs, &c.spec, "lines are rows of `SPEC`: a .json or .pbtxt file")
			c.max = tfrecord.MaxRecordSize
			fs.TextVar(&c.max, "max-record-size", &c.max, "refuse lines and records of more than `SIZE` bytes, as 64MiB")
			c.reading.addCommon(fs)
		},
		run: c.run,
	}
}

type encode struct {
	reading reading // the common flags only
	writing writing
	typ     recordjson.Type
	kinds   []string
	max     size

	spec string

	env  *env
	out  *recordOutput
	enc  *recordjson.Encoder
	rows *rowEncoder // instead of enc, with a spec
	msg  []byte
}

var errLongLine = errors.New("line exceeds the size limit")

func (c *encode) run(e *env, args []string) error {
	opts, err := c.writing.options()
	if err != nil {
		return err
	}
	kinds, err := parseKinds(c.kinds)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{inputs.Stdin}
	}
	in, err := c.reading.expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	if c.spec == "" {
		c.enc = recordjson.NewEncoder(c.typ, kinds)
	} else if c.rows, err = newRowEncoder(c); err != nil {
		return err
	}
	if c.out, err = e.createRecords(c.writing.output, in, opts); err != nil {
		return err
	}
	if err := c.out.finish(c.files(in)); err != nil || c.enc == nil {
		return err
	}
	for _, name := range c.enc.Unused() {
		e.console.Print(fmt.Sprintf("no line has a feature %q, which --kind names", name))
	}
	return nil
}

// parseKinds reads the values of --kind.
func parseKinds(flags []string) (map[string]example.Kind, error) {
	kinds := map[string]example.Kind{}
	for _, s := range flags {
		i := strings.LastIndexByte(s, '=')
		if i < 0 {
			return nil, usagef("--kind %s: want NAME=KIND", s)
		}
		kind, ok := recordjson.ParseKind(s[i+1:])
		if !ok {
			return nil, usagef("--kind %s: want one of int64, float32, string", s)
		}
		name, err := recordjson.ParseName(s[:i])
		if err != nil {
			return nil, usagef("--kind: %v", err)
		}
		kinds[name] = kind
	}
	return kinds, nil
}

func (c *encode) files(in []inputs.Input) error {
	progress := c.reading.showProgress(c.env, in)
	if progress != nil {
		defer c.env.console.Show(progress)()
	}
	for _, i := range in {
		src, err := walk.Open(c.env.ctx, i, c.env.stdin, progress)
		if err == nil {
			err = c.lines(i.Name, src)
			src.Close()
		} else {
			err = c.fault(walk.Unreadable(i.Name, err))
		}
		if c.env.ctx.Err() != nil {
			return c.env.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *encode) fault(f *walk.Fault) error { return c.env.fault(f, &c.reading) }

// lines encodes each line of one input.
func (c *encode) lines(name string, src io.Reader) error {
	r := bufio.NewReaderSize(src, 256<<10)
	var long []byte
	for n := int64(1); ; n++ {
		line, err := readLine(r, &long, int64(c.max))
		switch {
		case err == nil && len(bytes.TrimSpace(line)) == 0:
			continue
		case err == nil && c.rows != nil:
			err = c.rows.take(name, n, line)
		case err == nil:
			if c.msg, err = c.enc.Append(c.msg[:0], line); err == nil {
				err = c.write(name, n)
			} else {
				err = c.misfit(name, n, err)
			}
		default:
			if c.rows != nil {
				if err := c.rows.flush(name); err != nil {
					return err
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != errLongLine {
				if _, ok := errors.AsType[*os.PathError](err); ok || c.env.ctx.Err() != nil {
					return c.fault(walk.Unreadable(name, err))
				}
				return c.fault(walk.Unreadable(name, fmt.Errorf("line %d: %w", n, err)))
			}
			err = c.misfit(name, n, err)
		}
		if err != nil {
			return err
		}
	}
}

// write writes c.msg, which line n holds.
func (c *encode) write(name string, n int64) error {
	if int64(len(c.msg)) > int64(c.max) {
		return c.misfit(name, n, fmt.Errorf("record of %d bytes exceeds the size limit of %d", len(c.msg), c.max))
	}
	return c.out.write(c.msg)
}

// misfit deals with a line that makes no record.
func (c *encode) misfit(name string, n int64, err error) error {
	return c.fault(walk.Misfit(tfrecord.Position{Name: name, Record: -1, Offset: -1}, fmt.Errorf("line %d: %w", n, err)))
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

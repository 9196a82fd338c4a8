package serving

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// A protocol is one of those that TensorFlow Serving is called by.
type protocol uint8

const (
	grpc protocol = iota
	rest
)

var protocolNames = []string{"grpc", "rest"}

func (p protocol) MarshalText() ([]byte, error) { return []byte(protocolNames[p]), nil }

func (p *protocol) UnmarshalText(text []byte) error { return cli.SetName(p, protocolNames, text) }

// Request writes one request to TensorFlow Serving.
func Request() *cli.Command {
	c := &request{}
	return &cli.Command{
		Name: "request",
		Flags: func(fs *pflag.FlagSet) {
			cli.OutputVar(fs, &c.output, "write to `OUT`; - is standard output")
			cli.EnumVar(fs, &c.format, "format", protocolNames, "write the request for `PROTOCOL`: grpc or rest")
			c.addRequests(fs, "the first `N` records [1, or the rows of the model]")
		},
		Run: c.run,
	}
}

type request struct {
	feeder
	output string
	format protocol

	out  *cli.Output
	done bool
}

func (c *request) run(e *cli.Env, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("want a MODEL and files of records")
	case c.format == rest && c.name != "":
		return cli.Usagef("--model-name has no place in the body of a REST call: it is in the URL")
	case c.format == rest && c.outputs != nil:
		return cli.Usagef("--output-filter has no place in the body of a REST call: the answer has all outputs")
	case c.format == grpc && !cli.IsFile(c.output) && console.IsTerminal(e.Stdout):
		return cli.Usagef("a gRPC request is not for a terminal; name a file with -o, or write to a pipe")
	}
	what, endings := "a gRPC request", []string{".pb"}
	if c.format == rest {
		what, endings = "JSON", cli.JSONEndings
	}
	if err := cli.CheckName(c.output, what, endings, "--format chooses the protocol"); err != nil {
		return err
	}
	if err := c.open(e, args[0]); err != nil {
		return err
	}
	if c.format == rest {
		if err := c.checkREST(); err != nil {
			return fmt.Errorf("--format rest: %w", err)
		}
	}
	in, err := c.reading.Expand(e, args[1:])
	if err != nil {
		return err
	}
	if c.out, err = e.Create(c.output, scan.Names(in)...); err != nil {
		return err
	}
	c.emit = c.write
	if err = c.makeRequests(in); err == nil && !c.done {
		err = errors.New("no records to make a request of")
	}
	return c.out.Finish(err)
}

// write writes the request at hand, which is the only one.
func (c *request) write() (err error) {
	b := c.out.Buf
	if c.format == grpc {
		b, err = c.appendGRPC(b)
	} else if b, err = c.appendREST(b); err == nil {
		b = append(b, '\n')
	}
	if err != nil {
		return err
	}
	if c.n < c.rows {
		c.env.Console.Print(fmt.Sprintf("--batch is %d, and the request has all records that there are: %d", c.rows, c.n))
	}
	c.out.Buf, c.done = b, true
	return scan.ErrStop
}

package serving

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tfrecord"
)

// A protocol is a protocol of TensorFlow Serving.
type protocol uint8

const (
	grpc protocol = iota
	rest
)

var protocolNames = []string{"grpc", "rest"}

// Request returns the verb request, which writes one request to TensorFlow Serving.
func Request() *cli.Command {
	c := &request{}
	return &cli.Command{
		Name: "request",
		Flags: func(fs *pflag.FlagSet) {
			cli.OutputVar(fs, &c.output, "write to `OUT`; - is standard output")
			cli.ChoiceVar(fs, &c.format, "format", protocolNames, "write the request for `PROTOCOL`: grpc or rest")
			c.addRequests(fs, "the first `N` records [1, or the rows of the model]")
		},
		Run: c.run,
	}
}

// A request holds the flags and the state of one run of the verb.
type request struct {
	feeder
	output string // the value of -o
	format protocol

	out  *cli.Output
	done bool // the request is in out
}

func (c *request) run(e *cli.Env, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("want a MODEL and files of records")
	case c.format == rest && c.modelName != "":
		return cli.Usagef("--model-name is for gRPC: over REST the name is in the URL")
	case c.format == rest && c.outputs != nil:
		return cli.Usagef("--output-filter is for gRPC: over REST the answer has all outputs")
	case c.format == grpc && !cli.IsFile(c.output) && console.IsTerminal(e.Stdout):
		return cli.Usagef("cannot write gRPC requests to a terminal; set -o")
	}
	what, endings := "a gRPC request", []string{".pb"}
	if c.format == rest {
		what, endings = "JSON", cli.JSONEndings
	}
	if err := cli.CheckName(c.output, what, endings, "--format chooses the protocol"); err != nil {
		return err
	}
	if err := c.openSignature(e, args[0]); err != nil {
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
	c.emit = c.writeRequest
	if err = c.makeRequests(in); err == nil && !c.done {
		err = errors.New("no records to make a request of")
	}
	return c.out.Finish(err)
}

// writeRequest writes the current request and stops reading.
func (c *request) writeRequest() (err error) {
	b := c.out.Buf
	if c.format == grpc {
		b, err = c.appendGRPC(b)
	} else if b, err = c.appendREST(b); err == nil {
		b = append(b, '\n')
	}
	if err != nil {
		return err
	}
	if c.pending < c.batchSize {
		c.env.Console.Print(fmt.Sprintf("--batch is %d; the request has all %d records", c.batchSize, c.pending))
	}
	c.out.Buf, c.done = b, true
	return scan.ErrStop
}

// Warmup returns the verb warmup, which writes requests that TensorFlow Serving runs before it serves a model.
func Warmup() *cli.Command {
	c := &warmup{maxRequests: model.MaxWarmup}
	return &cli.Command{
		Name: "warmup",
		Flags: func(fs *pflag.FlagSet) {
			cli.OutputVar(fs, &c.output, "write to `OUT`; - is standard output")
			c.addRequests(fs, "`N` records a request [1, or the rows of the model]")
			fs.Var(cli.Number(&c.maxRequests, 1, model.MaxWarmup), "limit", "write at most `N` requests")
		},
		Run: c.run,
	}
}

// A warmup holds the flags and the state of one run of the verb.
type warmup struct {
	feeder
	output      string // the value of -o
	maxRequests int    // --limit

	out     *cli.RecordOutput // one record per request
	request []byte            // buffer for the current request
	log     []byte            // buffer for its PredictionLog
}

func (c *warmup) run(e *cli.Env, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("want a MODEL and files of records")
	}
	if err := cli.CheckSharded(c.output); err != nil {
		return err
	}
	if cli.CheckRecordsName(c.output, tfrecord.None) != nil {
		return cli.Usagef("-o %s: want a name for TFRecords; TensorFlow Serving reads them uncompressed", c.output)
	}
	if err := c.openSignature(e, args[0]); err != nil {
		return err
	}
	in, err := c.reading.Expand(e, args[1:])
	if err != nil {
		return err
	}
	made, err := c.makeExtra()
	if err != nil {
		return err
	}
	if c.out, err = e.CreateRecords(c.output, scan.Names(in), &tfrecord.WriterOptions{Compression: tfrecord.None}, 1); err == nil {
		c.emit = c.writeRequest
		if err = c.makeRequests(in); err == nil && c.out.Records == 0 {
			err = errors.New("no records to make requests of")
		}
		err = c.out.Finish(err)
	}
	if err != nil && made != "" {
		os.Remove(made)
	}
	return err
}

// makeExtra makes the directory from which TensorFlow Serving reads warm-up requests. It returns the name if the
// directory is new.
func (c *warmup) makeExtra() (string, error) {
	dir := storage.Dir(c.output)
	if !cli.IsFile(c.output) || storage.Remote(c.output) || filepath.Base(dir) != filepath.Dir(model.WarmupFile) {
		return "", nil
	}
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return "", nil
	}
	if err != nil {
		return "", cli.OutputError(c.output, err)
	}
	return dir, nil
}

// writeRequest writes the current request as a PredictionLog.
func (c *warmup) writeRequest() (err error) {
	if c.out.Records == int64(c.maxRequests) {
		c.env.Console.Print(fmt.Sprintf("stopped after %s, the --limit; later records are not used", cli.Plural(int64(c.maxRequests), "request")))
		return scan.ErrStop
	}
	if c.method == model.Predict {
		c.log, err = model.AppendWarmup(c.log[:0], c.sig, c.modelSpec, c.feeds, c.outputs...)
	} else if c.request, err = c.appendGRPC(c.request[:0]); err == nil {
		c.log, err = model.AppendPredictionLog(c.log[:0], c.method, c.request)
	}
	if err != nil {
		return err
	}
	return c.out.Write(c.log)
}

package serving

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tfrecord"
)

// Warmup writes the requests that TensorFlow Serving runs before it serves a model.
func Warmup() *cli.Command {
	c := &warmup{}
	return &cli.Command{
		Name:  "warmup",
		Args:  "MODEL FILE... -o OUT",
		Short: "write warm-up requests for TensorFlow Serving",
		Long: `
Make a request to a signature of MODEL from each record, and write the requests
as TensorFlow Serving reads them when it loads a model: a TFRecord of
PredictionLog without compression. Serving looks for it in the directory of the
model, as assets.extra/tf_serving_warmup_requests; if OUT is in a directory
assets.extra that does not exist, it is made.

One bad request stops a model from loading, so every request is checked first: the
signature must be one that Serving can answer, and the columns of --spec, after
--convert, must fit its inputs. A signature for classify or regress takes the
records themselves, without --spec. OUT appears under its name only when it is
complete.

Serving reads at most 1000 requests, and each adds to the time of loading.`,
		Examples: []string{
			"tfparse warmup testdata/models/recipes testdata/recipes.tfrecord --spec testdata/recipes.spec.json -o assets.extra/tf_serving_warmup_requests",
			"tfparse warmup testdata/models/recipes testdata/recipes.tfrecord --spec testdata/recipes.spec.json --batch 4 -o - | tfparse info -",
			"tfparse warmup testdata/models/tf1_classify testdata/recipes.tfrecord -o warmup_requests",
		},
		Flags: func(fs *pflag.FlagSet) {
			cli.OutputVar(fs, &c.output, "write to `OUT`; - is standard output")
			c.addRequests(fs, "make each request of `N` records (default 1, or the rows that the model fixes)")
			fs.IntVar(&c.limit, "limit", model.MaxWarmup, "write at most `N` requests")
		},
		Run: c.run,
	}
}

type warmup struct {
	feeder
	output string
	limit  int

	out     *cli.RecordOutput
	request []byte
	log     []byte
}

func (c *warmup) run(e *cli.Env, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("want a MODEL and files of records")
	case c.limit < 1 || c.limit > model.MaxWarmup:
		return cli.Usagef("--limit is 1 to %d: TensorFlow Serving does not load a model with more requests", model.MaxWarmup)
	}
	if err := cli.CheckSharded(c.output); err != nil {
		return err
	}
	if cli.CheckRecordsName(c.output, tfrecord.None) != nil {
		return cli.Usagef("-o %s: TensorFlow Serving reads a TFRecord without compression, and the name says another format", c.output)
	}
	if err := c.open(e, args[0]); err != nil {
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
		c.emit = c.write
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

// makeExtra makes the directory that Serving looks into, and returns its name if it was not there.
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

// write writes the request at hand as a PredictionLog.
func (c *warmup) write() (err error) {
	if c.out.Records == int64(c.limit) {
		c.env.Console.Print(fmt.Sprintf("stopped after %s, the --limit; later records are not used", cli.Plural(int64(c.limit), "request")))
		return scan.ErrStop
	}
	if c.method == model.Predict {
		c.log, err = model.AppendWarmup(c.log[:0], c.sig, c.to, c.feeds, c.outputs...)
	} else if c.request, err = c.appendGRPC(c.request[:0]); err == nil {
		c.log, err = model.AppendPredictionLog(c.log[:0], c.method, c.request)
	}
	if err != nil {
		return err
	}
	return c.out.Write(c.log)
}

package serving

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/model"
)

// Model prints the signatures of a SavedModel.
func Model() *cli.Command {
	c := &savedModel{}
	return &cli.Command{
		Name:  "model",
		Args:  "MODEL",
		Short: "describe the inputs of a SavedModel",
		Long: `
Print the signatures of MODEL, a SavedModel directory or its saved_model.pb: for
each input its path in the arguments, its type and shape, and the names of the
tensors that carry it, in order. A ragged input is flat values and then
row_splits, the outermost first; a sparse one indices, values and dense_shape.
The graph is not loaded, whatever its size.

What a model does not tell is unknown, with the reason. Outputs that are ragged
or sparse are named with the remedy: TensorFlow Serving cannot return them.

--check FILE answers whether data fit one signature. For a spec, a .json or .pbtxt
file, it compares the columns: form, dtype, rank and uniform dimensions. For a file
of records it parses each record by --spec and feeds it to the inputs, as request
and warmup do, in groups of the number of rows that the model fixes. It prints each
record that does not fit, up to 20 of them, with its input and what is wanted. The
exit code is 1 if the data do not fit.

Without --spec it infers a spec from the records, so it reads them twice. Where
they allow several, it takes one that fits the inputs; --format json prints it.
Models and signatures that take encoded records are fed the records as they are.

An input takes the feature of its own name, or of the last part of it; --column
names another. With --convert an input of int32, bool, float64 and the like takes
a column of int64 or float32.

--format python prints a function that calls one signature by the names of its
tensors, and --format go one that makes requests to it, with this module.`,
		Examples: []string{
			"tfparse model testdata/models/ragged3",
			"tfparse model --check testdata/recipes.tfrecord --spec testdata/recipes.spec.json testdata/models/recipes",
			"tfparse model --format python testdata/models/nested_dict",
		},
		Flags: func(fs *pflag.FlagSet) {
			c.addInputs(fs, "print or check the signature `NAME` (default all; serving_default to check and for code)")
			cli.FileVar(fs, &c.file, "check", "compare the inputs with `FILE`, a spec or records")
			cli.EnumVar(fs, &c.format, "format", styleNames, "print the model as `FORMAT`: text, json, python or go")
		},
		Negative: "the data do not fit the model",
		Run:      c.run,
	}
}

type savedModel struct {
	feeder
	file   string // of --check
	format style
}

func (c *savedModel) run(e *cli.Env, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("want one MODEL")
	}
	code := c.format == stylePython || c.format == styleGo
	switch {
	case code && c.file != "":
		return cli.Usagef("--check prints text or json")
	case c.file == "" && (c.spec != "" || c.serialized != "" || c.columns != nil || c.convert != model.NoConversion):
		return cli.Usagef("--spec, --serialized, --column and --convert are for --check")
	}
	m, err := openModel(args[0])
	if err != nil {
		return err
	}
	var sig *model.Signature
	if c.signature != "" || c.file != "" || code {
		if sig, err = signatureOf(m, c.signature); err != nil {
			return err
		}
	}
	if c.file != "" {
		if err := c.take(e, sig); err != nil {
			return err
		}
		return c.check()
	}
	if code {
		if err := checkCode(c.format, sig); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
	}
	out, err := e.Create("", args[0])
	if err != nil {
		return err
	}
	switch c.format {
	case styleJSON:
		out.JSON(reportOf(args[0], m, sig))
	case stylePython:
		printPython(out, sig)
	case styleGo:
		printGo(out, args[0], sig)
	default:
		printModel(out, m, sig)
	}
	return out.Finish(nil)
}

package serving

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tfrecord"
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

--check compares a spec, a .json or .pbtxt file, with the inputs of one signature:
form, dtype, rank and uniform dimensions. From a file of records a spec is
inferred, in which a ragged feature has the name of its values, such as steps/words;
tfparse schema prints it, to be edited. An input takes the feature of its own name, or of the last part of it.
With --convert an input of int32, bool, float64 and the like takes a column of
int64 or float32. Data that do not fit are exit code 1.

--format python prints a function that calls one signature by the names of its
tensors, and --format go one that makes requests of batches, with this module.`,
		Examples: []string{
			"tfparse model testdata/models/ragged3",
			"tfparse model --check testdata/recipes.spec.json testdata/models/recipes",
			"tfparse model --format python testdata/models/nested_dict",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&c.signature, "signature", "", "print or check the signature `NAME` (default all; serving_default to check and for code)")
			cli.FileVar(fs, &c.check, "check", "compare the inputs with `FILE`, a spec or records")
			cli.EnumVar(fs, &c.format, "format", styleNames, "print the model as `FORMAT`: text, json, python or go")
			convertVar(fs, &c.convert)
			c.reading.Add(fs, "compression")
		},
		Negative: "the data do not fit the model",
		Run:      c.run,
	}
}

type savedModel struct {
	reading   reading.Flags
	signature string
	check     string
	convert   model.Conversion
	format    style
}

func (c *savedModel) run(e *cli.Env, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("want one MODEL")
	}
	code := c.format == stylePython || c.format == styleGo
	if code && c.check != "" {
		return cli.Usagef("--check prints text or json")
	}
	m, err := model.Open(args[0])
	if err != nil {
		return err
	}
	var sig *model.Signature
	if c.signature != "" || c.check != "" || code {
		if sig, err = m.Signature(c.signature); err != nil {
			return cli.Usagef("%s", strings.TrimPrefix(err.Error(), "model: "))
		}
	}
	if c.check != "" {
		return c.compare(e, sig)
	}
	if code {
		if err := checkCode(sig); err != nil {
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

// compare prints for each input of a signature whether a spec has a column that fits.
func (c *savedModel) compare(e *cli.Env, sig *model.Signature) error {
	spec, err := c.spec(e)
	if err != nil {
		return err
	}
	out, err := e.Create("", c.check)
	if err != nil {
		return err
	}
	binding, err := model.Bind(sig, spec, &model.BindOptions{Convert: c.convert})
	misfits := map[string]*model.InputError{}
	for _, err := range each(err) {
		misfit, ok := errors.AsType[*model.InputError](err)
		if !ok {
			return out.Finish(fmt.Errorf("%s: %w", c.check, err))
		}
		misfits[misfit.Input] = misfit
	}
	if len(misfits) > 0 {
		e.Raise(cli.ExitNegative)
	}
	columns := map[string]string{}
	if binding != nil {
		columns = binding.Columns()
	}
	fits := fitsOf(sig, columns, misfits)
	if c.format == styleJSON {
		out.JSON(fits)
	} else {
		fits.print(out)
	}
	return out.Finish(nil)
}

// each returns the errors that are joined in err.
func each(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// spec reads the spec of --check, or infers it from records.
func (c *savedModel) spec(e *cli.Env) (feature.Spec, error) {
	switch filepath.Ext(c.check) {
	case ".json", ".pbtxt", ".pb":
		p, err := reading.NewParser(c.check, nil, nil)
		if err != nil {
			return feature.Spec{}, err
		}
		return p.Spec(), nil
	}
	in, err := c.reading.Expand(e, []string{c.check})
	if err != nil {
		return feature.Spec{}, err
	}
	found := &inferred{c: c, env: e}
	if err := c.reading.Walk(e, in, nil, recordscan.Guess(example.TypeAuto, found)); err != nil {
		return feature.Spec{}, err
	}
	if found.in == nil {
		return feature.Spec{}, fmt.Errorf("%s: no records to infer a spec from", c.check)
	}
	return found.in.Spec()
}

// inferred is a visitor that infers a spec.
type inferred struct {
	c       *savedModel
	env     *cli.Env
	message example.MessageType
	in      *infer.Inferrer
}

func (v *inferred) Begin(*recordscan.File) error { return nil }

func (v *inferred) End(*recordscan.File) error { return nil }

func (v *inferred) Type(t example.MessageType) error {
	switch {
	case v.in == nil:
		v.message, v.in = t, infer.New(t, nil)
	case t != v.message:
		return reading.MixedTypes(v.message, t, "a spec is for one")
	}
	return nil
}

func (v *inferred) Record(rec []byte, pos tfrecord.Position) error {
	if err := v.in.Add(rec); err != nil {
		return recordscan.Misfit(pos, err)
	}
	return nil
}

func (v *inferred) Skipped(fault *recordscan.Fault) error { return v.c.reading.Fault(v.env, fault) }

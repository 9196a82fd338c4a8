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
		Name: "model",
		Flags: func(fs *pflag.FlagSet) {
			c.addInputs(fs, "the signature `NAME` [all; serving_default for --check]")
			cli.FileVar(fs, &c.file, "check", "compare the inputs with `FILE`, a spec or records")
			cli.EnumVar(fs, &c.format, "format", styleNames, "print the model as `FORMAT`: text, json, python or go")
		},
		Run: c.run,
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

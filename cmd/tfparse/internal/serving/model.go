package serving

import (
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
			cli.FormatVar(fs, &c.format)
		},
		Run: c.run,
	}
}

type savedModel struct {
	feeder
	file   string // of --check
	format cli.Format
}

func (c *savedModel) run(e *cli.Env, args []string) error {
	if len(args) != 1 {
		return cli.Usagef("want one MODEL")
	}
	if c.file == "" && (c.spec != "" || c.serialized != "" || c.columns != nil || c.convert != model.NoConversion) {
		return cli.Usagef("--spec, --serialized, --column and --convert are for --check")
	}
	m, err := openModel(args[0])
	if err != nil {
		return err
	}
	var sig *model.Signature
	if c.signature != "" || c.file != "" {
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
	out, err := e.Create("", args[0])
	if err != nil {
		return err
	}
	if c.format == cli.FormatJSON {
		out.JSON(reportOf(args[0], m, sig))
	} else {
		printModel(out, m, sig)
	}
	return out.Finish(nil)
}

package schema

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/feature/tfds"
)

// featuresFile returns the features.json that the arguments name, if they name only that file or its directory.
func featuresFile(args []string) (name string, ok bool) {
	if len(args) != 1 {
		return "", false
	}
	if name, ok := scan.Beside(args[0], tfds.FeaturesFile); ok {
		return name, true
	}
	return args[0], filepath.Base(args[0]) == tfds.FeaturesFile
}

// fromTFDS prints the spec of a features.json.
func (c *schema) fromTFDS(name string) error {
	for _, flag := range []string{"sample", "type", "compat", "max-domain", "max-features", "no-shape", "min-fraction-slack", "range-margin", "update", "explain", "compression"} {
		if c.flagGiven(flag) {
			return cli.Usagef("--%s cannot be used with %s; name files of records instead", flag, name)
		}
	}
	language := c.emit
	if !c.emitGiven() && filepath.Ext(c.output) == ".pbtxt" {
		language = emitTFMD
	}
	if err := checkSpecName(c.output, language); err != nil {
		return err
	}
	b, err := scan.ReadNamed(name)
	if err != nil {
		return scan.Named(name, err)
	}
	spec, notes, err := tfds.Spec(b, &tfds.Options{Ragged: c.ragged})
	if err != nil {
		return scan.Named(name, errors.New(strings.TrimPrefix(err.Error(), "tfds: "+tfds.FeaturesFile+": ")))
	}
	text, err := encodeSpec(spec, language)
	if err != nil {
		return cli.BadSpec("--emit "+emissionNames[language], err)
	}
	out, err := c.env.Create(c.output, name)
	if err != nil {
		return err
	}
	for _, n := range notes {
		what := n.Text
		if n.Omitted {
			what = "left out: " + what
			c.env.Raise(cli.ExitSkipped)
		}
		c.env.Console.Print(fmt.Sprintf("%s: feature %q: %s", name, n.Feature, what))
	}
	out.Buf = append(out.Buf, text...)
	return out.Finish(nil)
}

package quality

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/validate/record"
)

// ValidateMerge returns the verb validate merge, which merges outputs of validate --partial.
func ValidateMerge() *cli.Command {
	c := newValidate()
	return c.partial.MergeCommand(c.command())
}

// checkPartial checks flags that depend on --partial.
func (c *validate) checkPartial() error {
	switch {
	case c.partial.Merge:
		return nil
	case c.partial.Name == "" && c.reading.Shard().Count > 0:
		return cli.Usagef("--shard needs --partial")
	case c.partial.Name != "" && cli.IsFile(c.output):
		return cli.Usagef("--partial cannot be combined with -o; tfparse validate merge has it")
	}
	return c.partial.Check(c.env)
}

// writePart reads the records, and writes a part.
func (c *validate) writePart() error {
	g, err := c.reader()
	if err != nil {
		return err
	}
	read := append(scan.Names(c.source.Inputs), c.schemaName, c.rulesName, c.specName)
	to, err := partial.Create(c.env, c.partial.Name, read, func() (*partial.Header, error) { return c.header(g) })
	if err != nil {
		return err
	}
	g.Part = to.Write
	return to.Finish(g.Read(c.source.Inputs, c.typ))
}

// A pairDeclaration is ragged structure in the first records, as stored in parts.
type pairDeclaration struct {
	Pair json.RawMessage `json:"pair"`           // an infer.Pair
	Spec json.RawMessage `json:"spec,omitempty"` // spec that declares it; nil if a spec cannot
}

// header returns the header of a part.
func (c *validate) header(g *statsource.Gatherer) (*partial.Header, error) {
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	var own []pairDeclaration
	if c.finder != nil && c.finder.inferrer != nil {
		report := c.finder.inferrer.Report()
		for _, p := range report.Pairs {
			var one pairDeclaration
			if one.Pair, err = p.MarshalBinary(); err != nil { // JSON
				return nil, err
			}
			if spec, ok := report.Declare(p); ok {
				one.Spec, _ = spec.MarshalJSON() // structure without a form is not declared
			}
			own = append(own, one)
		}
	}
	h, err := partial.NewHeader(c.partial.Verb, &c.reading, settings, own)
	if err == nil {
		h.Bytes = scan.TotalSize(c.reading.Inputs)
		h.Options, err = statsource.AppendOptions(nil, &g.Options)
	}
	return h, err
}

// settings returns the settings that all parts and their merge must have alike.
func (c *validate) settings() (map[string]string, error) {
	contents := map[string][]byte{"schema": nil, "spec": nil, "vocab": nil, "rules": nil}
	var err error
	if c.schema != nil {
		if contents["schema"], err = (proto.MarshalOptions{Deterministic: true}).Marshal(c.schema); err != nil {
			return nil, err
		}
	}
	if c.specName != "" {
		if contents["spec"], err = c.spec.MarshalJSON(); err != nil {
			return nil, err
		}
	}
	if len(c.words) > 0 {
		if contents["vocab"], err = json.Marshal(c.words); err != nil {
			return nil, err
		}
	}
	if c.rules != nil { // rules about statistics are evaluated by the merge only
		for _, r := range c.rules.OfRecords() {
			contents["rules"] = fmt.Appendf(contents["rules"], "%v %s\n", r.Warning, r.Text)
		}
	}
	all := c.partial.Settings(contents)
	for flag, name := range map[string]string{"previous": c.previous, "serving": c.serving, "previous-version": c.previousVersion} {
		if all[flag] = ""; name != "" { // only whether there is one: it takes memory
			all[flag] = "FILE"
		}
	}
	return all, nil
}

// readParts makes g merge parts.
func (c *validate) readParts(g *statsource.Gatherer) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	parts, err := partial.Open(c.env, &c.reading, c.source.Inputs, settings, c.partial.Verb)
	if err != nil {
		return err
	}
	c.source.Merged = parts
	if c.records {
		g.Findings = func() *record.Summary { return record.NewSummary(c.maxFindings) }
	}
	if c.suggest && c.records {
		specs := map[infer.Pair]feature.Spec{}
		if err := parts.Own(func(b []byte) error { return readPairs(b, specs) }); err != nil {
			return err
		}
		c.findings.raggedColumns = &raggedColumns{specOf: func(p infer.Pair) (feature.Spec, bool) {
			spec, ok := specs[p]
			return spec, ok
		}}
	}
	g.Parts = parts
	return nil
}

// readPairs adds the specs of the declarations in a header.
func readPairs(own []byte, specs map[infer.Pair]feature.Spec) error {
	var found []pairDeclaration
	if err := json.Unmarshal(own, &found); err != nil {
		return err
	}
	for _, one := range found {
		var p infer.Pair
		if err := p.UnmarshalBinary(one.Pair); err != nil {
			return err
		}
		if one.Spec == nil {
			continue
		}
		var spec feature.Spec
		if err := spec.UnmarshalJSON(one.Spec); err != nil {
			return err
		}
		specs[p] = spec
	}
	return nil
}

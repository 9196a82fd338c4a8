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

// ValidateMerge puts together what validate --partial has written.
func ValidateMerge() *cli.Command {
	c := newValidate()
	return c.partial.MergeCommand(c.command())
}

// checkPartial refuses flags that have no meaning with a part.
func (c *validate) checkPartial() error {
	switch {
	case c.partial.Merge:
		return nil
	case c.partial.Name == "" && c.reading.Shard().Count > 0:
		return cli.Usagef("--shard needs --partial: what is checked are the statistics of all files")
	case c.partial.Name != "" && cli.IsFile(c.output):
		return cli.Usagef("--partial writes no anomalies: -o is for tfparse validate merge")
	}
	return c.partial.Check(c.env)
}

// writePart reads the records, and writes what tfparse validate merge reads.
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

// A foundPair is ragged structure that the first records show.
type foundPair struct {
	Pair json.RawMessage `json:"pair"`
	Spec json.RawMessage `json:"spec,omitempty"` // that declares it; nil if there is none
}

// header returns the header of a part.
func (c *validate) header(g *statsource.Gatherer) (*partial.Header, error) {
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	var own []foundPair
	if c.finder != nil && c.finder.inferrer != nil {
		report := c.finder.inferrer.Report()
		for _, p := range report.Pairs {
			var one foundPair
			if one.Pair, err = p.MarshalBinary(); err != nil { // JSON
				return nil, err
			}
			if spec, ok := report.Declare(p); ok {
				one.Spec, _ = spec.MarshalJSON() // what has no form is not declared
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

// settings are those that all parts and their merge have alike.
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
	if c.rules != nil { // those about statistics have no effect on a part
		for _, r := range c.rules.OfRecords() {
			contents["rules"] = fmt.Appendf(contents["rules"], "%v %s\n", r.Warning, r.Text)
		}
	}
	all := c.partial.Settings(contents)
	for flag, name := range map[string]string{"previous": c.previous, "serving": c.serving, "previous-version": c.previousVersion} {
		if all[flag] = ""; name != "" { // that there is one: it takes memory
			all[flag] = "FILE"
		}
	}
	return all, nil
}

// readParts has parts merged instead of records read.
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
		g.Findings = func() *record.Summary { return record.NewSummary(c.most) }
	}
	if c.suggest && c.records {
		specs := map[infer.Pair]feature.Spec{}
		if err := parts.Own(func(b []byte) error { return readPairs(b, specs) }); err != nil {
			return err
		}
		c.findings.columns = &columns{declared: func(p infer.Pair) (feature.Spec, bool) {
			spec, ok := specs[p]
			return spec, ok
		}}
	}
	g.Parts = parts
	return nil
}

// readPairs adds the specs that the pairs in a header are declared by.
func readPairs(own []byte, specs map[infer.Pair]feature.Spec) error {
	var found []foundPair
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

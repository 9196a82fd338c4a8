package quality

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/nearest"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
)

// readRules reads the file of --rules; nil without the flag.
func (c *validate) readRules() (*expr.Rules, error) {
	if c.rulesName == "" {
		return nil, nil
	}
	text, err := scan.ReadFile(c.env, c.rulesName)
	if err != nil {
		return nil, c.badRules(err)
	}
	rules, err := expr.ParseRules(string(text))
	switch {
	case err != nil:
		return nil, c.badRules(err)
	case len(rules.OfStatistics())+len(rules.OfRecords()) == 0:
		return nil, c.badRules(errors.New("there is no rule in it"))
	}
	if all := rules.OfRecords(); len(all) > 0 && !c.records {
		return nil, c.badRules(fmt.Errorf("line %d is about records: it needs --records", all[0].Line))
	}
	return rules, nil
}

// badRules returns an error about the file of rules.
func (c *validate) badRules(err error) error {
	if e, ok := errors.AsType[*expr.SyntaxError](err); ok {
		return cli.Usagef("--rules %s:%d:%d: %s", console.OneLine(c.rulesName), e.Line, e.Column, e.Message)
	}
	return cli.Usage(fmt.Errorf("--rules %s: %w", console.OneLine(c.rulesName), err))
}

// checkRules evaluates the rules about statistics. It adds the results to a and the findings.
func (c *validate) checkRules(a *pb.Anomalies) error {
	if c.rules == nil {
		return nil
	}
	var unchecked []anomaly.UncheckedRules
	err := c.checkNames()
	if err == nil {
		c.opts.Slices = c.checksSlices()
		unchecked, err = anomaly.CheckRules(a, c.rules, c.source.Statistics, c.schema, &c.opts)
	}
	if e, ok := errors.AsType[*expr.SyntaxError](err); ok {
		return c.badRules(e)
	} else if err != nil {
		return err
	}
	c.noteUnchecked("--previous", expr.Before, unchecked)
	c.noteUnchecked("--serving", expr.Serving, unchecked)
	return nil
}

// checkNames returns an error if a rule about records names a feature that neither the data nor the schema has.
func (c *validate) checkNames() error {
	if examples(c.source.Statistics) == 0 {
		return nil
	}
	known := map[string]bool{}
	var names []string
	for _, set := range c.source.Statistics.GetDatasets() {
		for _, f := range set.GetFeatures() {
			path := f.GetPath().GetStep()
			if path == nil {
				path = []string{f.GetName()}
			}
			known[statsource.PathName(path)] = true
			names = append(names, path[len(path)-1])
		}
	}
	schema := statsource.IndexFeatures(c.schema.GetFeature())
	for _, x := range c.rules.Features() {
		if !utf8.ValidString(x.Name) { // statistics have another name for it
			continue
		}
		paths := [][]string{{x.Name}}
		if x.InList {
			paths = [][]string{{"##SEQUENCE##", x.Name}, {"##EXAMPLES##", x.Name}}
		}
		if !slices.ContainsFunc(paths, func(path []string) bool {
			return known[statsource.PathName(path)] || schema.At(path...) != nil
		}) {
			return &expr.SyntaxError{Line: x.Line, Column: x.Column, Message: fmt.Sprintf("no record has a feature %q%s", x.Name, nearest.Question(x.Name, names))}
		}
	}
	return nil
}

// noteUnchecked warns about slices in which rules were not evaluated, because the baseline of a flag lacks the slices.
func (c *validate) noteUnchecked(flag string, data expr.Data, all []anomaly.UncheckedRules) {
	all = slices.DeleteFunc(slices.Clone(all), func(u anomaly.UncheckedRules) bool { return u.Data != data })
	if len(all) == 0 {
		return
	}
	which := "the slice " + console.OneLine(all[0].Slice)
	if len(all) > 1 {
		which = fmt.Sprintf("%d slices, %s among them", len(all), console.OneLine(all[0].Slice))
	}
	c.env.Console.Print(fmt.Sprintf("%s lacks %s: rules that name %s are not checked there", flag, which, data))
}

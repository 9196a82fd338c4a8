package quality

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/rule"
)

// readRules reads a file of rules; nil without a name.
func readRules(e *cli.Env, name string) (*rule.Set, error) {
	if name == "" {
		return nil, nil
	}
	text, err := reading.ReadFile(e, name)
	if err != nil {
		return nil, badRules(name, err)
	}
	rules, err := rule.Parse(string(text))
	if err != nil {
		return nil, badRules(name, err)
	}
	if rules.Len() == 0 {
		return nil, badRules(name, errors.New("there is no rule in it"))
	}
	return rules, nil
}

// badRules is the error of a file of rules.
func badRules(name string, err error) error {
	if e, ok := errors.AsType[*rule.SyntaxError](err); ok {
		return cli.Usagef("--rules %s:%d:%d: %s", console.OneLine(name), e.Line, e.Column, e.Message)
	}
	return cli.Usage(fmt.Errorf("--rules %s: %w", console.OneLine(name), err))
}

// checkRules adds what the rules say of the statistics to the findings, and to a.
func (c *validate) checkRules(a *pb.Anomalies) error {
	if c.rules == nil {
		return nil
	}
	data := rule.Data{Now: c.source.Statistics, Before: c.opts.Previous, Serving: c.opts.Serving, Schema: c.schema}
	var all []rule.Violation
	var unchecked []rule.Unchecked
	var err error
	if c.checksSlices() {
		all, unchecked, err = c.rules.CheckSlices(data)
	} else {
		all, err = c.rules.Check(data)
	}
	if e, ok := errors.AsType[*rule.SyntaxError](err); ok {
		return badRules(c.rulesName, e)
	} else if err != nil {
		return err
	}
	c.noteUnchecked("--previous", "before", unchecked)
	c.noteUnchecked("--serving", "serving", unchecked)
	kind := pb.AnomalyInfo_CUSTOM_VALIDATION.String()
	var kept []rule.Violation
	for _, v := range all {
		severity := "error"
		if v.Warning {
			severity = "warning"
		}
		if severity = c.findings.severityOf(kind, severity); severity == "" {
			continue
		}
		v.Warning = severity == "warning"
		kept = append(kept, v)
		c.findings.addOfData(finding{Severity: severity, Slice: v.Slice, Rule: kind, Text: v.Text, Expected: v.Expected, Observed: observed(v.Observed)}, v.Path)
	}
	rule.Append(a, kept)
	return nil
}

// noteUnchecked says in which slices rules were not checked, because what they are compared with lacks these.
func (c *validate) noteUnchecked(flag, data string, all []rule.Unchecked) {
	all = slices.DeleteFunc(slices.Clone(all), func(u rule.Unchecked) bool { return u.Data != data })
	if len(all) == 0 {
		return
	}
	which := "the slice " + console.OneLine(all[0].Slice)
	if len(all) > 1 {
		which = fmt.Sprintf("%d slices, %s among them", len(all), console.OneLine(all[0].Slice))
	}
	c.env.Console.Print(fmt.Sprintf("%s lacks %s: rules that name %s are not checked there", flag, which, data))
}

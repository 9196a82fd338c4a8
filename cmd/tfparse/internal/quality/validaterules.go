package quality

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/rule"
)

// readRules reads a file of rules; nil without a name.
func readRules(name string) (*rule.Set, error) {
	if name == "" {
		return nil, nil
	}
	text, err := reading.ReadNamed(name)
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
	all, err := c.rules.Check(rule.Data{Now: c.source.Statistics, Before: c.opts.Previous, Serving: c.opts.Serving, Schema: c.schema})
	if e, ok := errors.AsType[*rule.SyntaxError](err); ok {
		return badRules(c.rulesName, e)
	} else if err != nil {
		return err
	}
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
		c.findings.add(finding{Severity: severity, Feature: statsource.PathName(v.Path), Rule: kind, Text: v.Text})
	}
	rule.Append(a, kept)
	return nil
}

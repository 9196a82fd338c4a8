package quality

import (
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/tfrecord"
)

// sarif writes SARIF 2.1.0, which code hosts show beside files.
func (f *findings) sarif(dst []byte) []byte {
	type object = map[string]any
	results := []object{}
	for _, one := range f.all {
		uri, region := f.uri, object(nil)
		if one.File != nil {
			uri = string(*one.File)
			region = object{"byteOffset": *one.Offset, "byteLength": *one.Length + tfrecord.HeaderSize + tfrecord.FooterSize}
		}
		physical := object{"artifactLocation": object{"uri": strings.ToValidUTF8(uri, "\uFFFD")}}
		if region != nil {
			physical["region"] = region
		}
		location := object{"physicalLocation": physical}
		if one.Feature != "" {
			location["logicalLocations"] = []object{{"fullyQualifiedName": one.Feature, "kind": "member"}}
		}
		result := object{"ruleId": one.Rule, "level": one.Severity, "message": object{"text": one.Text}, "locations": []object{location}}
		if one.Severity == "unknown" {
			result["level"] = "none"
		}
		if one.Record != nil {
			result["properties"] = object{"record": *one.Record}
		}
		results = append(results, result)
	}
	log := object{
		"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"runs": []object{{"tool": object{"driver": object{"name": "tfparse"}}, "results": results}},
	}
	return append(cli.AppendJSON(dst, log), '\n')
}

// junit writes a test suite: a case for every feature that has a finding, or one that
// passes.
func (f *findings) junit(dst []byte) []byte {
	var cases []cli.TestCase
	for _, one := range f.all {
		name := one.Feature
		if name == "" {
			name = "(data set)"
		}
		outcome := cli.Warned
		if one.Severity == "error" {
			outcome = cli.Failure
		}
		cases = append(cases, cli.TestCase{Name: name + " " + one.Rule, Class: "schema", Outcomes: []cli.Outcome{outcome(one.Rule, one.place+one.Text)}})
	}
	if len(cases) == 0 {
		cases = []cli.TestCase{{Name: "schema", Class: "schema"}}
	}
	return cli.AppendJUnit(dst, "tfparse validate", cases)
}

package quality

import (
	"encoding/xml"
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
	type failure struct {
		XMLName xml.Name
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
	type testcase struct {
		Name     string    `xml:"name,attr"`
		Class    string    `xml:"classname,attr"`
		Failures []failure `xml:",any"`
	}
	type suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	s := suite{Name: "tfparse validate"}
	for _, one := range f.all {
		name := one.Feature
		if name == "" {
			name = "(data set)"
		}
		kind := "failure"
		if one.Severity != "error" {
			kind = "system-out" // a warning is no failure
		} else {
			s.Failures++
		}
		s.Cases = append(s.Cases, testcase{Name: name + " " + one.Rule, Class: "schema", Failures: []failure{{xml.Name{Local: kind}, one.Rule, one.place + one.Text}}})
	}
	if len(s.Cases) == 0 {
		s.Cases = []testcase{{Name: "schema", Class: "schema"}}
	}
	s.Tests = len(s.Cases)
	b, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // only strings and numbers
	}
	return append(append(append(dst, xml.Header...), b...), '\n')
}

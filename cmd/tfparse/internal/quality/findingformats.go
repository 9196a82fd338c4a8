package quality

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/tfrecord"
)

// byRow calls each for every count, with its printed findings. The count that keys beyond the limits share comes last.
func (f *findings) byRow(each func(n *findingCount, printed []*finding)) {
	printed := map[*findingCount][]*finding{}
	for i := range f.all {
		n := f.counts.pairs[countKey{f.all[i].Slice, f.all[i].Feature, f.all[i].Rule}]
		if n == nil {
			n = &f.counts.other
		}
		printed[n] = append(printed[n], &f.all[i])
	}
	for _, n := range f.counts.rows() {
		each(n, printed[n])
	}
	if n := &f.counts.other; n.sum().Findings > 0 {
		each(n, printed[n])
	}
}

// junit appends a JUnit test suite. It has a test case per count, or one that passes.
func (f *findings) junit(dst []byte) []byte {
	var cases []cli.TestCase
	f.byRow(func(n *findingCount, printed []*finding) {
		outcome := cli.Warned
		if n.Severity == "error" {
			outcome = cli.Failure
		}
		properties := []cli.Property{{Name: "findings", Value: strconv.FormatUint(n.sum().Findings, 10)}}
		if n.Findings > 0 {
			properties = append(properties, cli.Property{Name: "records", Value: strconv.FormatUint(n.Records, 10)})
		}
		one := cli.TestCase{Name: n.title(), Class: "schema", Properties: &cli.Properties{All: properties}}
		if n.Findings > n.printed {
			one.Outcomes = append(one.Outcomes, outcome(n.Rule, n.sum().text()))
		}
		for _, found := range printed {
			one.Outcomes = append(one.Outcomes, outcome(found.Rule, found.place+found.Text))
		}
		cases = append(cases, one)
	})
	if len(cases) == 0 {
		cases = []cli.TestCase{{Name: "schema", Class: "schema"}}
	}
	return cli.AppendJUnit(dst, "tfparse validate", cases)
}

// github appends an annotation per count, since GitHub shows only a few annotations, and a notice with the total.
func (f *findings) github(dst []byte) []byte {
	f.byRow(func(n *findingCount, printed []*finding) {
		level, file, text := "warning", f.uri, n.sum().text()
		if n.Severity == "error" {
			level = "error"
		}
		if len(printed) > 0 {
			first := printed[0]
			if first.File != nil {
				file = string(*first.File)
			}
			if text = first.place + first.Text; n.Findings > 1 {
				text = n.sum().text() + "; the first: " + text
			}
		}
		dst = cli.AppendGitHub(dst, level, file, n.title(), text)
	})
	return fmt.Appendf(dst, "::notice title=tfparse validate::%s in %s\n", f.counts.sum().text(), cli.Plural(int64(f.examined), "record"))
}

// title returns the title of a count.
func (n *findingCount) title() string {
	if n.Rule == "" {
		return "other features and rules"
	}
	return n.name() + " " + n.Rule
}

// sarif appends SARIF 2.1.0, which code hosts show beside files.
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
		result := object{"ruleId": one.Rule, "level": one.Severity, "message": object{"text": placeOf(one.Slice) + one.Text}, "locations": []object{location}}
		if one.Severity == "unknown" {
			result["level"] = "none"
		}
		properties := object{}
		if one.Address != "" {
			properties["address"] = one.Address
		}
		for name, value := range map[string]any{"record": one.Record, "example": one.Example, "step": one.Step, "value_index": one.Value} {
			if !reflect.ValueOf(value).IsNil() {
				properties[name] = value
			}
		}
		if one.RowPath != nil {
			properties["row_path"] = one.RowPath
		}
		if one.Slice != "" {
			properties["slice"] = one.Slice
		}
		if one.Expected != "" || one.Observed != "" {
			properties["expected"], properties["observed"] = one.Expected, one.Observed
		}
		if len(properties) > 0 {
			result["properties"] = properties
		}
		results = append(results, result)
	}
	run := object{"tool": object{"driver": object{"name": "tfparse"}}, "results": results}
	report := f.report()
	run["properties"] = object{"counts": report.Counts, "other": report.Other, "total": report.Total, "more": report.Hidden}
	log := object{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": []object{run}}
	return append(cli.AppendJSON(dst, log), '\n')
}

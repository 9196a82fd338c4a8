package quality

import (
	"reflect"
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

package quality

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestFlagsOfOptions proves that every option of the packages for statistics and anomalies has a flag of the command, or a reason
// why it has none.
func TestFlagsOfOptions(t *testing.T) {
	for _, c := range []struct {
		options any
		command *cli.Command
		flags   map[string]string // of each field, or what stands in its place
	}{
		{stats.Options{}, Stats(), map[string]string{
			"Message": "--type", "Schema": "--schema", "Weight": "--weight", "WeightOf": "--weight-of",
			"Features": "--select", "Slices": "--slice", "TopValues": "--top", "MinCount": "--frequency-threshold", "MinWeight": "--weighted-frequency-threshold",
			"RankedValues": "--rank-buckets", "LengthBuckets": "--count-buckets", "Buckets": "--buckets", "Quantiles": "--quantiles",
			"SampleRate": "--sample-rate", "DetectDomains": "--domains", "Vocabularies": "--vocab",
			"MaxSlices":   "--max-slices",
			"MaxFeatures": "--max-features",
		}},
		{anomaly.Options{}, Validate(), map[string]string{
			"Compat": "--compat", "Environment": "--environment", "Previous": "--previous", "Serving": "--serving", "PreviousVersion": "--previous-version",
			"Details": "made with the statistics of records", "PreviousDetails": "made with the statistics of --previous", "ServingDetails": "made with the statistics of --serving",
			"Severity": "--severity", "Slices": "--check-slices", "Report": "gets what the command prints",
		}},
	} {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.command.Flags(set)
		options := reflect.TypeOf(c.options)
		for i := range options.NumField() {
			if !options.Field(i).IsExported() {
				continue
			}
			name := options.Field(i).Name
			how, ok := c.flags[name]
			delete(c.flags, name)
			flag, is := strings.CutPrefix(how, "--")
			flag, _, _ = strings.Cut(flag, " ")
			if !ok || is && set.Lookup(flag) == nil {
				t.Errorf("%v.%s has no flag: %q", options, name, how)
			}
		}
		for name := range c.flags {
			t.Errorf("%v has no field %s", options, name)
		}
	}
}

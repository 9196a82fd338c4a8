package conformance

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/schema"
)

// TestValidation runs what TensorFlow Data Validation answers: the statistics of records,
// the schemas that it makes of them, the anomalies that it finds in statistics and in
// records, and what it measures between two of them. All of it is asked for in compatible
// mode, and compared as messages: the texts, too, are TensorFlow Data Validation's.
func TestValidation(t *testing.T) {
	loadStatistics(t)
	s := &testkit.Suite{
		Family: "validation", Key: "call", PerKey: true,
		Members: []string{"note", "input", "schema", "options", "previous", "serving", "previous_version", "record_type"},
	}
	s.Handle("generate_statistics", generateStatistics)
	s.Handle("infer_schema", inferSchema)
	s.Handle("update_schema", updateSchema)
	s.Handle("validate_statistics", validateStatistics(false))
	s.Handle("validate_corresponding_slices", validateStatistics(true))
	s.Handle("validate_examples_in_tfrecord", validateExamples)
	s.Run(t)
}

// statisticsCases are the cases that expect statistics, by name: others refer to them.
var statisticsCases map[string]*testkit.Case

func loadStatistics(t *testing.T) {
	statisticsCases = map[string]*testkit.Case{}
	for _, f := range testkit.Vectors(t, "validation") {
		for _, c := range f.Cases {
			var call string
			if err := c.Decode("call", &call); err != nil {
				t.Fatal(err)
			}
			if call != "generate_statistics" {
				continue
			}
			if statisticsCases[c.Name] != nil {
				t.Errorf("two cases of %s are named %q", call, c.Name)
			}
			statisticsCases[c.Name] = c
		}
	}
}

// schemaOptions are the options of infer_schema and update_schema.
type schemaOptions struct {
	InferFeatureShape   *bool `json:"infer_feature_shape"`
	MaxStringDomainSize *int  `json:"max_string_domain_size"`
}

func (o schemaOptions) ours() *schema.Options {
	ours := &schema.Options{Compat: true, NoShape: o.InferFeatureShape != nil && !*o.InferFeatureShape}
	if n := o.MaxStringDomainSize; n != nil {
		if ours.MaxStringDomain = *n; *n == 0 {
			ours.MaxStringDomain = -1
		}
	}
	return ours
}

func inferSchema(c *testkit.Case) error {
	var o schemaOptions
	stats, err := statisticsOf(c, "input")
	if err := errors.Join(err, c.Decode("options", &o)); err != nil {
		return err
	}
	got, err := schema.Infer(stats, o.ours())
	return outcome(c, err, func() error { return expect(c, "schema", got, nil) })
}

func updateSchema(c *testkit.Case) error {
	var o schemaOptions
	before := &metadatapb.Schema{}
	stats, err := statisticsOf(c, "input")
	if err := errors.Join(err, c.Decode("options", &o), textOf(c, "schema", before)); err != nil {
		return err
	}
	got, err := schema.Update(before, stats, o.ours())
	return outcome(c, err, func() error { return expect(c, "schema", got, nil) })
}

func validateStatistics(slices bool) testkit.Check {
	return func(c *testkit.Case) error {
		baseline := &metadatapb.Schema{}
		stats, err := statisticsOf(c, "input")
		if err := errors.Join(err, textOf(c, "schema", baseline)); err != nil {
			return err
		}
		o, err := anomalyOptions(c)
		if err != nil {
			return err
		}
		untouched := proto.CloneOf(baseline)
		var found []anomaly.Finding
		o.Report = func(f anomaly.Finding) { found = append(found, f) }
		o.Slices = slices
		got, err := anomaly.Validate(stats, baseline, o)
		if !proto.Equal(untouched, baseline) {
			return errors.New("the schema has changed")
		}
		if err := errors.Join(reported(got, found), nativeReport(stats, baseline, *o)); err != nil {
			return err
		}
		return outcome(c, err, func() error {
			if err := expect(c, "anomalies", got, baseline); err != nil {
				return err
			}
			if !expects(c, "updated_schema") {
				return nil
			}
			updated, err := schema.Update(baseline, stats, &schema.Options{Compat: true})
			if err != nil {
				return err
			}
			return expect(c, "updated_schema", updated, nil)
		})
	}
}

// reported proves that the findings are the reasons of the anomalies, with both of their sides.
func reported(a *metadatapb.Anomalies, found []anomaly.Finding) error {
	var reasons, got []string
	for _, e := range a.GetAnomalyInfo() {
		for _, r := range e.GetValue().GetReason() {
			reasons = append(reasons, fmt.Sprint(e.GetValue().GetPath().GetStep(), r.GetType(), strings.TrimSpace(cmp.Or(r.GetDescription(), r.GetShortDescription()))))
		}
	}
	for _, r := range a.GetDatasetAnomalyInfo().GetReason() {
		reasons = append(reasons, fmt.Sprint([]string(nil), r.GetType(), strings.TrimSpace(cmp.Or(r.GetDescription(), r.GetShortDescription()))))
	}
	for _, f := range found {
		path := slices.Clone(f.Path)
		if f.Slice != "" && path == nil && f.Type != metadatapb.AnomalyInfo_DATASET_LOW_NUM_EXAMPLES && f.Type != metadatapb.AnomalyInfo_DATASET_HIGH_NUM_EXAMPLES {
			path = []string{""}
		}
		if f.Slice != "" && path != nil {
			path[0] = anomaly.SlicePrefix(f.Slice) + path[0]
		}
		got = append(got, fmt.Sprint(path, f.Type, f.Text))
		if f.Expected == "" || f.Observed == "" || strings.Contains(f.Expected+f.Observed+f.Text, "%!") {
			return fmt.Errorf("a finding is %+v", f)
		}
	}
	slices.Sort(reasons)
	slices.Sort(got)
	if !slices.Equal(got, reasons) {
		return fmt.Errorf("the findings are %q, and the anomalies %q", got, reasons)
	}
	return nil
}

// nativeReport is reported for the native mode, whose anomalies are others.
func nativeReport(stats *metadatapb.DatasetFeatureStatisticsList, schema *metadatapb.Schema, o anomaly.Options) error {
	var found []anomaly.Finding
	o.Compat = false
	o.Report = func(f anomaly.Finding) { found = append(found, f) }
	a, err := anomaly.Validate(stats, schema, &o)
	if err != nil {
		return nil // what it refuses is not what the case is about
	}
	return reported(a, found)
}

func anomalyOptions(c *testkit.Case) (o *anomaly.Options, err error) {
	o = &anomaly.Options{Compat: true}
	var options struct {
		Environment            *string           `json:"environment"`
		SeverityOverrides      map[string]string `json:"severity_overrides"`
		NewFeaturesAreWarnings bool              `json:"new_features_are_warnings"`
	}
	if err := c.Decode("options", &options); err != nil {
		return nil, err
	}
	if options.Environment != nil {
		o.Environment = *options.Environment
	}
	if options.NewFeaturesAreWarnings {
		o.Severity = map[metadatapb.AnomalyInfo_Type]metadatapb.AnomalyInfo_Severity{metadatapb.AnomalyInfo_SCHEMA_NEW_COLUMN: metadatapb.AnomalyInfo_WARNING}
	}
	for k, v := range options.SeverityOverrides {
		t, ok := metadatapb.AnomalyInfo_Type_value[k]
		s, ok2 := metadatapb.AnomalyInfo_Severity_value[v]
		if !ok || !ok2 {
			return nil, testkit.Unknown("the severity override %s: %s", k, v)
		}
		if o.Severity == nil {
			o.Severity = map[metadatapb.AnomalyInfo_Type]metadatapb.AnomalyInfo_Severity{}
		}
		o.Severity[metadatapb.AnomalyInfo_Type(t)] = metadatapb.AnomalyInfo_Severity(s)
	}
	for member, list := range map[string]**metadatapb.DatasetFeatureStatisticsList{"previous": &o.Previous, "serving": &o.Serving, "previous_version": &o.PreviousVersion} {
		if c.Has(member) {
			if *list, err = statisticsOf(c, member); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// outcome compares an error with what the case requires, and calls check if a result
// is required.
func outcome(c *testkit.Case, err error, check func() error) error {
	switch fail := c.Want().Fail; {
	case fail && err == nil:
		return errors.New("want an error, got a result")
	case fail:
		return nil
	case err != nil:
		return fmt.Errorf("unexpected error: %w", err)
	}
	return check()
}

// textOf reads a member of the case that is the text of a message.
func textOf(c *testkit.Case, member string, m proto.Message) error {
	var text string
	if err := c.Decode(member, &text); err != nil {
		return err
	}
	return testkit.Fault(pbtext.Unmarshal([]byte(text), m))
}

// expects reports whether the case expects a message under a name.
func expects(c *testkit.Case, member string) bool {
	var all map[string]json.RawMessage
	return json.Unmarshal(c.Want().Expect, &all) == nil && (all[member] != nil || all[member+"_file"] != nil)
}

// expectedText returns a text that a case expects, or that of the file which it names.
func expectedText(c *testkit.Case, member string) ([]byte, error) {
	var all map[string]string
	if err := json.Unmarshal(c.Want().Expect, &all); err != nil {
		return nil, testkit.Fault(err)
	}
	if text, ok := all[member]; ok {
		return []byte(text), nil
	}
	name, ok := all[member+"_file"]
	if !ok {
		return nil, testkit.Fault(fmt.Errorf("the case expects no %s", member))
	}
	path, err := c.Path(name)
	if err != nil {
		return nil, err
	}
	b, err := testkit.ReadFile(path)
	return b, testkit.Fault(err)
}

// expect compares a message with the one that the case expects. The baseline of
// anomalies stands in the case only where it is not the schema of the case.
func expect(c *testkit.Case, member string, got proto.Message, baseline *metadatapb.Schema) error {
	text, err := expectedText(c, member)
	if err != nil {
		return err
	}
	want := got.ProtoReflect().New().Interface()
	if err := pbtext.Unmarshal(text, want); err != nil {
		return testkit.Fault(err)
	}
	if w, ok := want.(*metadatapb.Anomalies); ok {
		g := proto.CloneOf(got.(*metadatapb.Anomalies))
		if w.BaselineSchema == nil {
			if !proto.Equal(baseline, g.GetBaseline()) {
				return errors.New("the baseline is not the schema")
			}
			g.BaselineSchema = nil
		} else {
			// Of slices the features of the baseline stand in the order of a set of
			// Python, which is another in every run.
			for _, b := range []*metadatapb.Schema{w.GetBaseline(), g.GetBaseline()} {
				sortByName(b.GetFeature())
				sortByName(b.GetSparseFeature())
				sortByName(b.GetWeightedFeature())
			}
		}
		byKey := func(a, b *metadatapb.Anomalies_AnomalyInfoEntry) int { return strings.Compare(a.GetKey(), b.GetKey()) }
		slices.SortFunc(w.AnomalyInfo, byKey)
		slices.SortFunc(g.AnomalyInfo, byKey)
		closeMeasurements(w, g)
		got = g
	}
	if d := diff(want, got); d != "" {
		return fmt.Errorf("%s: want -, got +:\n%s", member, d)
	}
	return nil
}

func sortByName[F interface{ GetName() string }](features []F) {
	slices.SortStableFunc(features, func(a, b F) int { return strings.Compare(a.GetName(), b.GetName()) })
}

// closeMeasurements makes distances equal that are close enough.
func closeMeasurements(want, got *metadatapb.Anomalies) {
	if len(want.DriftSkewInfo) != len(got.DriftSkewInfo) {
		return
	}
	for i, w := range want.DriftSkewInfo {
		g := got.DriftSkewInfo[i]
		for _, m := range [][2][]*metadatapb.DriftSkewInfo_Measurement{{w.DriftMeasurements, g.DriftMeasurements}, {w.SkewMeasurements, g.SkewMeasurements}} {
			for j := range min(len(m[0]), len(m[1])) {
				a, b := m[0][j], m[1][j]
				if math.Abs(a.GetValue()-b.GetValue()) <= 1e-9*math.Abs(a.GetValue()) {
					b.Value = a.Value
				}
			}
		}
	}
}

// statisticsOf reads statistics that are the input of a case: those that another case
// expects, or a text.
func statisticsOf(c *testkit.Case, member string) (*metadatapb.DatasetFeatureStatisticsList, error) {
	var from struct {
		Of   *string `json:"statistics_of"`
		Text *string `json:"statistics"`
	}
	if err := c.Decode(member, &from); err != nil {
		return nil, err
	}
	var text []byte
	switch {
	case from.Text != nil && from.Of == nil:
		text = []byte(*from.Text)
	case from.Of != nil && from.Text == nil:
		other := statisticsCases[*from.Of]
		if other == nil {
			return nil, testkit.Fault(fmt.Errorf("there is no case %q", *from.Of))
		}
		var err error
		if text, err = expectedText(other, "statistics"); err != nil {
			return nil, err
		}
	default:
		return nil, testkit.Unknown("the input %q", member)
	}
	list := &metadatapb.DatasetFeatureStatisticsList{}
	return list, testkit.Fault(pbtext.Unmarshal(text, list))
}

package record_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/stats"
)

// A demand is a field of a schema with data that fit it and data that do not.
type demand struct {
	schema    string          // schema of the feature x, with the field
	good, bad []example.Value // values of x, one for each record
	wrong     string          // anomaly type for bad data; "": no anomaly
	ofRecord  bool            // bad records have a finding, too
	finding   string          // rule of the finding, if it differs from wrong
	warning   bool
	before    []example.Value     // values of x in the previous data set
	words     map[string][]string // vocabularies
	none      string              // why the field has no effect on validation; "": it has an effect
}

var (
	str    = example.Strings
	num    = example.Int64s
	flt    = example.Floats
	absent = example.Value{}
	nan    = float32(math.NaN())
	inf    = float32(math.Inf(1))
	gif    = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;"
)

type values = []example.Value

// times returns a value n times.
func times(n int, v example.Value) values { return slices.Repeat(values{v}, n) }

// demands lists each field of Feature and of its messages, except Path, Annotation, DerivedFeatureSource
// and SparseFeature. For a field that is a message it lists the fields of the message.
var demands = map[string]demand{
	"Feature.name":                        {schema: "name: 'y' type: INT", bad: times(3, num(1)), wrong: "SCHEMA_NEW_COLUMN", ofRecord: true},
	"Feature.deprecated":                  {none: "with it nothing is asked"},
	"Feature.lifecycle_stage":             {none: "some stages ask nothing"},
	"Feature.annotation":                  {none: "notes"},
	"Feature.validation_derived_source":   {none: "where statistics come from; it is compared with that of the statistics"},
	"Feature.in_environment":              {none: "it adds to the environments"},
	"Feature.not_in_environment":          {schema: "type: INT not_in_environment: 'here'", bad: times(3, num(1)), wrong: "SCHEMA_NEW_COLUMN", ofRecord: true},
	"Feature.type":                        {schema: "type: INT", good: times(3, num(1)), bad: times(3, str("a")), wrong: "UNEXPECTED_DATA_TYPE", ofRecord: true},
	"Feature.domain":                      {schema: "type: BYTES domain: 'shared'", good: times(3, str("a")), bad: values{str("a"), str("c")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"FeaturePresence.min_fraction":        {schema: "type: INT presence { min_fraction: 1 }", good: times(3, num(1)), bad: values{num(1), absent}, wrong: "FEATURE_TYPE_LOW_FRACTION_PRESENT", ofRecord: true},
	"FeaturePresence.min_count":           {schema: "type: INT presence { min_count: 3 }", good: times(3, num(1)), bad: times(2, num(1)), wrong: "FEATURE_TYPE_LOW_NUMBER_PRESENT"},
	"FeaturePresenceWithinGroup.required": {schema: "type: INT group_presence { required: true }", good: times(3, num(1)), bad: values{num(1), absent}, wrong: "FEATURE_TYPE_LOW_FRACTION_PRESENT", ofRecord: true},
	"FixedShape.Dim.size":                 {schema: "type: INT shape { dim { size: 2 } dim { size: 2 } }", good: times(3, num(1, 2, 3, 4)), bad: values{num(1, 2, 3)}, wrong: "INVALID_FEATURE_SHAPE", ofRecord: true},
	"FixedShape.Dim.name":                 {none: "a name"},
	"ValueCount.min":                      {schema: "type: INT value_count { min: 2 }", good: times(3, num(1, 2)), bad: values{num(1)}, wrong: "FEATURE_TYPE_LOW_NUMBER_VALUES", ofRecord: true},
	"ValueCount.max":                      {schema: "type: INT value_count { max: 2 }", good: times(3, num(1, 2)), bad: values{num(1, 2, 3)}, wrong: "FEATURE_TYPE_HIGH_NUMBER_VALUES", ofRecord: true},
	"IntDomain.name":                      {none: "a name"},
	"IntDomain.min":                       {schema: "type: INT int_domain { min: 3 }", good: times(3, num(3)), bad: values{num(3), num(2)}, wrong: "INT_TYPE_SMALL_INT", ofRecord: true},
	"IntDomain.max":                       {schema: "type: BYTES int_domain { max: 3 }", good: times(3, str("3")), bad: values{str("3"), str("4")}, wrong: "INT_TYPE_BIG_INT", ofRecord: true},
	"IntDomain.is_categorical":            {none: "how statistics count"},
	"FloatDomain.name":                    {none: "a name"},
	"FloatDomain.min":                     {schema: "type: FLOAT float_domain { min: 3 }", good: times(3, flt(3)), bad: values{flt(3), flt(2)}, wrong: "FLOAT_TYPE_SMALL_FLOAT", ofRecord: true},
	"FloatDomain.max":                     {schema: "type: FLOAT float_domain { max: 3 }", good: times(3, flt(3)), bad: values{flt(3), flt(4)}, wrong: "FLOAT_TYPE_BIG_FLOAT", ofRecord: true},
	"FloatDomain.disallow_nan":            {schema: "type: FLOAT float_domain { disallow_nan: true }", good: times(3, flt(3)), bad: values{flt(3), flt(nan)}, wrong: "FLOAT_TYPE_HAS_NAN", ofRecord: true},
	"FloatDomain.disallow_inf":            {schema: "type: FLOAT float_domain { disallow_inf: true }", good: times(3, flt(3)), bad: values{flt(3), flt(inf)}, wrong: "FLOAT_TYPE_HAS_INF", ofRecord: true},
	"FloatDomain.is_embedding":            {none: "embedding_dim asks for it"},
	"FloatDomain.embedding_dim":           {schema: "type: FLOAT float_domain { is_embedding: true embedding_dim: 2 }", good: times(3, flt(3, 4)), bad: values{flt(3, 4), flt(3)}, wrong: "EMBEDDING_SHAPE_INVALID", ofRecord: true},
	"FloatDomain.embedding_type":          {none: "a name"},
	"FloatDomain.is_categorical":          {none: "how statistics count"},
	"StringDomain.name":                   {none: "a name"},
	"StringDomain.value":                  {schema: "type: BYTES string_domain { value: 'a' }", good: times(3, str("a")), bad: values{str("a"), str("c")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"StringDomain.is_categorical":         {none: "how statistics count"},
	"BoolDomain.name":                     {none: "a name"},
	"BoolDomain.true_value":               {schema: "type: BYTES bool_domain { true_value: 'a' }", good: times(3, str("a")), bad: values{str("a"), str("c")}, wrong: "BOOL_TYPE_UNEXPECTED_STRING", finding: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"BoolDomain.false_value":              {schema: "type: BYTES bool_domain { false_value: 'a' }", good: times(3, str("a")), bad: values{str("a"), str("c")}, wrong: "BOOL_TYPE_UNEXPECTED_STRING", finding: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"StructDomain.feature":                {none: "features, which ask for something themselves"},
	"StructDomain.sparse_feature":         {none: "sparse features, which ask for something themselves"},
	"NaturalLanguageDomain.vocabulary":    {none: "what coverage is measured by"},
	"FeatureCoverageConstraints.min_coverage": {schema: "type: BYTES natural_language_domain { vocabulary: 'v' coverage { min_coverage: 0.9 } }", words: vocabulary,
		good: times(3, str("a", "b")), bad: values{str("a", "b"), str("c")}, wrong: "FEATURE_COVERAGE_TOO_LOW"},
	"FeatureCoverageConstraints.min_avg_token_length": {schema: "type: BYTES natural_language_domain { coverage { min_avg_token_length: 2 } }",
		good: times(3, str("aa", "bb")), bad: times(3, str("a", "bb")), wrong: "FEATURE_COVERAGE_TOO_SHORT_AVG_TOKEN_LENGTH"},
	"FeatureCoverageConstraints.excluded_string_tokens": {none: "what coverage is measured of"},
	"FeatureCoverageConstraints.excluded_int_tokens":    {none: "what coverage is measured of"},
	"FeatureCoverageConstraints.oov_string_tokens":      {none: "what coverage is measured by"},
	"SequenceValueConstraints.int_value":                {none: "which token"},
	"SequenceValueConstraints.string_value":             {none: "which token"},
	"SequenceValueConstraints.min_per_sequence": {schema: "type: INT natural_language_domain { token_constraints { int_value: 7 min_per_sequence: 2 } }",
		good: times(3, num(7, 7, 1)), bad: values{num(7, 7), num(7, 1)}, wrong: "SEQUENCE_VALUE_TOO_FEW_OCCURRENCES", ofRecord: true},
	"SequenceValueConstraints.max_per_sequence": {schema: "type: BYTES natural_language_domain { token_constraints { string_value: 'a' max_per_sequence: 1 } }",
		good: times(3, str("a", "b")), bad: values{str("a"), str("a", "a")}, wrong: "SEQUENCE_VALUE_TOO_MANY_OCCURRENCES", ofRecord: true},
	"SequenceValueConstraints.min_fraction_of_sequences": {schema: "type: BYTES natural_language_domain { token_constraints { string_value: 'a' min_fraction_of_sequences: 0.9 } }",
		good: times(3, str("a", "b")), bad: values{str("a"), str("b")}, wrong: "SEQUENCE_VALUE_TOO_SMALL_FRACTION"},
	"SequenceValueConstraints.max_fraction_of_sequences": {schema: "type: BYTES natural_language_domain { token_constraints { string_value: 'a' max_fraction_of_sequences: 0.4 } }",
		good: values{str("a", "b"), str("c"), str("d")}, bad: times(3, str("a")), wrong: "SEQUENCE_VALUE_TOO_LARGE_FRACTION"},
	"SequenceLengthConstraints.excluded_int_value":    {none: "what the length is measured of"},
	"SequenceLengthConstraints.excluded_string_value": {none: "what the length is measured of"},
	"SequenceLengthConstraints.min_sequence_length": {schema: "type: BYTES natural_language_domain { sequence_length_constraints { excluded_string_value: '' min_sequence_length: 2 } }",
		good: times(3, str("a", "b", "")), bad: values{str("a", "b"), str("a", "", "")}, wrong: "FEATURE_TYPE_LOW_NUMBER_VALUES", ofRecord: true},
	"SequenceLengthConstraints.max_sequence_length": {schema: "type: INT natural_language_domain { sequence_length_constraints { excluded_int_value: 0 max_sequence_length: 2 } }",
		good: times(3, num(1, 2, 0)), bad: values{num(1, 2, 3)}, wrong: "FEATURE_TYPE_HIGH_NUMBER_VALUES", ofRecord: true},
	"ImageDomain.minimum_supported_image_fraction": {schema: "type: BYTES image_domain { minimum_supported_image_fraction: 1 }",
		good: times(3, str(gif)), bad: values{str(gif), str(gif[:len(gif)-1])}, wrong: "LOW_SUPPORTED_IMAGE_FRACTION", ofRecord: true},
	"ImageDomain.max_image_byte_size": {schema: "type: BYTES image_domain { max_image_byte_size: 10 }",
		good: times(3, str("small")), bad: values{str("not so small")}, wrong: "MAX_IMAGE_BYTE_SIZE_EXCEEDED", ofRecord: true},
	"Feature.audio_domain":           {schema: "type: BYTES audio_domain {}", bad: times(3, str("a")), wrong: "STATS_NOT_AVAILABLE", warning: true},
	"Feature.video_domain":           {schema: "type: BYTES video_domain {}", bad: times(3, str("a")), wrong: "STATS_NOT_AVAILABLE", warning: true},
	"Feature.content_chunk_domain":   {schema: "type: BYTES content_chunk_domain {}", bad: times(3, str("a")), wrong: "STATS_NOT_AVAILABLE", warning: true},
	"Feature.mid_domain":             {schema: "type: BYTES mid_domain {}", good: times(3, str("/m/0dl567")), bad: values{str("/m/0dl567"), str("dl567")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"Feature.url_domain":             {schema: "type: BYTES url_domain {}", good: times(3, str("http://a.b/c")), bad: values{str("http://a.b/c", "a")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"TimeDomain.string_format":       {schema: "type: BYTES time_domain { string_format: '%Y' }", good: times(3, str("2018")), bad: values{str("2018"), str("now")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"TimeDomain.integer_format":      {schema: "type: BYTES time_domain { integer_format: UNIX_DAYS }", good: times(3, str("2018")), bad: values{str("2018"), str("now")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"TimeOfDayDomain.string_format":  {schema: "type: BYTES time_of_day_domain { string_format: '%H:%M' }", good: times(3, str("12:30")), bad: values{str("12:30"), str("24:30")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES", ofRecord: true},
	"TimeOfDayDomain.integer_format": {schema: "type: INT time_of_day_domain { integer_format: PACKED_64_NANOS }", good: times(3, num(1<<42)), bad: values{num(1 << 42), num(24 << 42)}, wrong: "DOMAIN_INVALID_FOR_TYPE", ofRecord: true},
	"DistributionConstraints.min_domain_mass": {schema: "type: BYTES string_domain { value: 'a' } distribution_constraints { min_domain_mass: 0.7 }",
		good: values{str("a"), str("a"), str("a"), str("c")}, bad: values{str("a"), str("c")}, wrong: "ENUM_TYPE_UNEXPECTED_STRING_VALUES"},
	"FeatureComparator.infinity_norm":             {schema: "type: BYTES drift_comparator { infinity_norm { threshold: 0.1 } }", before: times(400, str("a")), good: times(400, str("a")), bad: times(400, str("b")), wrong: "COMPARATOR_L_INFTY_HIGH"},
	"FeatureComparator.jensen_shannon_divergence": {schema: "type: INT drift_comparator { jensen_shannon_divergence { threshold: 0.1 } }", before: times(400, num(1)), good: times(400, num(1)), bad: times(400, num(2)), wrong: "COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH"},
	"FeatureComparator.normalized_abs_difference": {schema: "type: BYTES drift_comparator { normalized_abs_difference { threshold: 0.1 } }", before: times(400, str("a")), good: times(400, str("a")), bad: times(400, str("b")), wrong: "COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH"},
	"InfinityNorm.threshold":                      {none: "see the comparator"},
	"JensenShannonDivergence.threshold":           {none: "see the comparator"},
	"JensenShannonDivergence.source":              {none: "which histogram TensorFlow Data Validation compares"},
	"HistogramSelection.type":                     {none: "which histogram TensorFlow Data Validation compares"},
	"NormalizedAbsoluteDifference.threshold":      {none: "see the comparator"},
	"UniqueConstraints.min":                       {schema: "type: BYTES unique_constraints { min: 2 }", good: values{str("a"), str("b")}, bad: times(2, str("a")), wrong: "FEATURE_TYPE_LOW_UNIQUE"},
	"UniqueConstraints.max":                       {schema: "type: BYTES unique_constraints { max: 1 }", good: times(3, str("a")), bad: values{str("a"), str("b")}, wrong: "FEATURE_TYPE_HIGH_UNIQUE"},
	"SequenceMetadata.sequential_status":          {none: "what a model makes of it"},
	"SequenceMetadata.joint_group":                {none: "what a model makes of it"},
	"SequenceMetadata.sequence_truncation_limit":  {none: "what a model makes of it"},
}

var vocabulary = map[string][]string{"v": {"a", "b"}}

// empty lists fields whose message has no fields.
var empty = []protoreflect.Name{"AudioDomain", "VideoDomain", "ContentChunkDomain", "MIDDomain", "URLDomain"}

// TestEveryDemand checks that demands has a row for each field of Feature.
func TestEveryDemand(t *testing.T) {
	rows := map[string]bool{}
	seen := map[protoreflect.FullName]bool{"tfparse.metadata.v0.Annotation": true, "tfparse.metadata.v0.DerivedFeatureSource": true, "tfparse.metadata.v0.SparseFeature": true}
	var walk func(m protoreflect.MessageDescriptor)
	walk = func(m protoreflect.MessageDescriptor) {
		if seen[m.FullName()] {
			return
		}
		seen[m.FullName()] = true
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			name := string(m.FullName()[len("tfparse.metadata.v0."):]) + "." + string(f.Name())
			of := f.Message()
			_, has := demands[name]
			if rows[name] = true; of != nil && !slices.Contains(empty, of.Name()) {
				walk(of)
				if !seen[of.FullName()] || !has {
					continue
				}
			}
			if !has {
				t.Errorf("no row for %s", name)
			}
		}
	}
	walk((&pb.Feature{}).ProtoReflect().Descriptor())
	for name := range demands {
		if !rows[name] {
			t.Errorf("a row for %s, which is not a field", name)
		}
	}
}

// TestDemands checks data that do not fit a field of a schema: statistics have an anomaly, and a record has a finding if a single record can break the rule.
func TestDemands(t *testing.T) {
	for name, d := range demands {
		if d.none != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			schema := &pb.Schema{}
			feature := d.schema
			if name != "Feature.name" {
				feature = "name: 'x' " + feature
			}
			text := fmt.Sprintf("feature { %s } string_domain { name: 'shared' value: 'a' } default_environment: ['here', 'other']", feature)
			if err := pbtext.Unmarshal([]byte(text), schema); err != nil {
				t.Fatal(err)
			}
			if d.good != nil {
				if found, findings := d.check(t, schema, d.good); len(found) > 0 || len(findings) > 0 {
					t.Errorf("good data: %v, %v", found, findings)
				}
			}
			severity := pb.AnomalyInfo_ERROR
			if d.warning {
				severity = pb.AnomalyInfo_WARNING
			}
			found, findings := d.check(t, schema, d.bad)
			if !slices.Contains(found, d.wrong+" "+severity.String()) {
				t.Errorf("statistics: got %v, want %s %v", found, d.wrong, severity)
			}
			want := cmp.Or(d.finding, d.wrong)
			if len(findings) > 0 != d.ofRecord || d.ofRecord && !slices.Contains(findings, want) {
				t.Errorf("records: got %v, want %s %t", findings, want, d.ofRecord)
			}
		})
	}
}

// check returns the anomalies of statistics and the findings about records.
func (d demand) check(t *testing.T, schema *pb.Schema, data values) (found, findings []string) {
	t.Helper()
	const environment = "here"
	c, err := record.NewChecker(schema, &record.Options{Environment: environment})
	if err != nil {
		t.Fatal(err)
	}
	statistics := func(data values) *pb.DatasetFeatureStatisticsList {
		a, err := stats.New(&stats.Options{Schema: schema, Vocabularies: d.words})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range data {
			e := example.Example{"x": v}
			if v.Kind() == example.Unset {
				delete(e, "x")
			}
			msg, err := e.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Add(msg); err != nil {
				t.Fatal(err)
			}
			for _, f := range c.Check(msg) {
				findings = append(findings, f.Rule)
			}
		}
		list, err := a.Statistics()
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	o := &anomaly.Options{Environment: environment}
	if d.before != nil {
		o.Previous = statistics(d.before)
	}
	o.Report = func(f anomaly.Finding) {
		found = append(found, f.Type.String()+" "+f.Severity.String())
	}
	if _, err := anomaly.Validate(statistics(data), schema, o); err != nil {
		t.Fatal(err)
	}
	return found, findings
}

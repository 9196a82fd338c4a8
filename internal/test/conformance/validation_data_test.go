package conformance

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/anomaly"
	checks "github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/schema"
	"github.com/tfparse/tfparse/validate/stats"
)

// Data that other projects publish fit the schema that is inferred from them: as a
// whole, in both modes, and record by record.
func TestDataFitsItsSchema(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []struct {
		pattern string
		message example.MessageType
	}{
		{"chicago_taxi/data_tfrecord-*", example.TypeExample},
		{"penguin/data_tfrecord-*", example.TypeExample},
		{"sequence/data_tfrecord*", example.TypeSequence},
		{"ranking/*.tfrecord", example.TypeExampleList},
	} {
		t.Run(filepath.Dir(set.pattern), func(t *testing.T) {
			names, err := filepath.Glob(filepath.Join(root, "..", "shared", "data", set.pattern))
			if err != nil {
				t.Fatal(err)
			}
			if len(names) == 0 {
				t.Skipf("skipped: the data of other projects are not here: no %s", set.pattern)
			}
			var records [][]byte
			for _, name := range names {
				records = append(records, recordsOf(t, name)...)
			}
			acc, err := stats.New(&stats.Options{Message: set.message})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if err := acc.Add(r); err != nil {
					t.Fatal(err)
				}
			}
			list, err := acc.Statistics()
			if err != nil {
				t.Fatal(err)
			}
			for _, compat := range []bool{true, false} {
				s, err := schema.Infer(list, &schema.Options{Compat: compat})
				if err != nil {
					t.Fatal(err)
				}
				a, err := anomaly.Validate(list, s, &anomaly.Options{Compat: compat})
				if err != nil || len(a.GetAnomalyInfo()) > 0 || a.GetDatasetAnomalyInfo() != nil {
					t.Errorf("compat %t: %v, %v", compat, a.GetAnomalyInfo(), err)
				}
				checkAll(t, s, set.message, records)
			}
		})
	}
}

func recordsOf(t *testing.T, name string) (records [][]byte) {
	t.Helper()
	r, err := tfrecord.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, bytes.Clone(rec))
	}
}

// checkAll checks records one by one.
func checkAll(t *testing.T, s *metadatapb.Schema, message example.MessageType, records [][]byte) {
	t.Helper()
	c, err := checks.NewChecker(s, &checks.Options{Message: message})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		if found := c.Check(r); len(found) > 0 {
			t.Fatalf("record %d: %v", i, found)
		}
	}
}

// notFixed are the cases whose statistics do not fit what an update makes of their
// schema, or change it again, and why.
var notFixed = map[string]string{
	"strings/beyond_the_rank_histogram":                    "the values that are missing are not known, in native mode",
	"strings/all_unknown_values_beyond_the_rank_histogram": "the values that are missing are not known, in native mode",
	"text/tokens":                         "a bound of single precision is below a fraction of double precision",
	"semantic/domain_found_but_other_set": "a domain that does not fit goes, and one that was found takes its place the second time",
	"weighted_feature/lengths_differ":     "TensorFlow Data Validation looks at weighted features that are deprecated",
	"weighted_feature/missing":            "TensorFlow Data Validation looks at weighted features that are deprecated",
}

// What an update makes of the schema of a case fits the statistics of the case: what
// is found then are warnings, and natively what the statistics cannot say.
func TestUpdateIsAFixedPoint(t *testing.T) {
	if _, own, err := testkit.Folder(); err != nil || !own {
		t.Skipf("skipped: which cases are no fixed point is known of our own vectors only (%v)", err)
	}
	loadStatistics(t)
	var cases []*testkit.Case
	for _, f := range testkit.Vectors(t, "validation") {
		for _, c := range f.Cases {
			var call string
			if err := c.Decode("call", &call); err != nil {
				t.Fatal(err)
			}
			if call == "validate_statistics" && !c.Has("serving") && !c.Has("previous") {
				cases = append(cases, c)
			}
		}
	}
	looked := 0
	for _, c := range cases {
		if notFixed[c.Name] != "" {
			continue
		}
		before := &metadatapb.Schema{}
		list, err := statisticsOf(c, "input")
		if err := errors.Join(err, textOf(c, "schema", before)); err != nil {
			t.Fatal(err)
		}
		for _, compat := range []bool{true, false} {
			o := &schema.Options{Compat: compat}
			once, err := schema.Update(before, list, o)
			if err != nil {
				continue // statistics of several data sets
			}
			looked++
			twice, err := schema.Update(once, list, o)
			if compat && err != nil && slices.ContainsFunc(once.SparseFeature, func(f *metadatapb.SparseFeature) bool {
				return f.GetLifecycleStage() == metadatapb.LifecycleStage_DEPRECATED
			}) {
				continue // of these TensorFlow Data Validation ends the process
			}
			if err != nil || !proto.Equal(once, twice) {
				t.Errorf("%s: compat %t: another update changes it again: %v\n%v\n%v", c.Name, compat, err, once, twice)
			}
			a, err := anomaly.Validate(list, once, &anomaly.Options{Compat: compat})
			if err != nil {
				t.Errorf("%s: compat %t: %v", c.Name, compat, err)
			}
			for _, e := range a.GetAnomalyInfo() {
				measured := slices.ContainsFunc(e.GetValue().GetReason(), func(r *metadatapb.AnomalyInfo_Reason) bool {
					return compat || r.GetType() != metadatapb.AnomalyInfo_STATS_NOT_AVAILABLE
				})
				if measured && e.GetValue().GetSeverity() == metadatapb.AnomalyInfo_ERROR {
					t.Errorf("%s: compat %t: after an update: %s: %s", c.Name, compat, e.GetKey(), e.GetValue().GetDescription())
				}
			}
		}
	}
	if looked < len(cases) {
		t.Errorf("%d updates of %d cases", looked, len(cases))
	}
}

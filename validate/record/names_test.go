package record_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/schema"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestNames checks that records fit the schema inferred from them, for all names of features.
func TestNames(t *testing.T) {
	for _, name := range []string{"\xff\xfe bad", "b64:4gYmFk", "b64://4gYmFk", "b64:YQ==", "b64:!", "b64:", "", "user.id", "it's", "(a)", "two\nlines", "é\x00"} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			sound := encode(t, example.Example{name: example.Strings("x")})
			lists := encode(t, example.Sequence{Context: example.Example{name: example.Strings("x")}, Lists: map[string][]example.Value{name: {example.Strings("x")}}})
			for _, c := range []struct {
				of    example.MessageType
				how   *stats.Options
				msg   []byte
				empty []byte
			}{
				{example.TypeExample, &stats.Options{}, sound, encode(t, example.Example{})},
				{example.TypeSequence, &stats.Options{Message: example.TypeSequence}, lists, encode(t, example.Sequence{})},
			} {
				s := inferred(t, c.how, c.msg)
				checker, err := record.NewChecker(s, &record.Options{Message: c.of})
				if err != nil {
					t.Fatal(err)
				}
				if got := texts(checker.Check(c.msg)); got != nil {
					t.Errorf("%s: %q", c.of, got)
				}
				if got := checker.Check(c.empty); len(got) == 0 || got[0].Rule != "FEATURE_TYPE_LOW_FRACTION_PRESENT" {
					t.Errorf("%s: without it: %q", c.of, got)
				}
			}
		})
	}
}

func inferred(t *testing.T, o *stats.Options, msg []byte) *pb.Schema {
	t.Helper()
	a, err := stats.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(msg); err != nil {
		t.Fatal(err)
	}
	list, err := a.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Infer(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEncodedNames checks that a step matches the name that it encodes and the step itself:
// statistics do not distinguish the two. New features are reported with their step.
func TestEncodedNames(t *testing.T) {
	const declared = `feature { name: 'b64:/w==' type: INT presence { min_fraction: 1 } int_domain { max: 5 } } feature { name: 'v' type: INT }
		sparse_feature { name: 's' index_feature { name: 'b64:/w==' } value_feature { name: 'v' } }`
	c := checker(t, declared, nil)
	I := example.Int64s
	for _, x := range []struct {
		record example.Example
		want   []string
	}{
		{example.Example{"\xff": I(1), "v": I(1)}, nil},
		{example.Example{"b64:/w==": I(1), "v": I(1)}, nil},
		{example.Example{"\xff": I(6), "v": I(1)}, []string{`feature "b64:/w==": value 0: INT_TYPE_BIG_INT: want at most 5, got 6`}},
		{example.Example{"b64:/w==": I(6), "v": I(1)}, []string{`feature "b64:/w==": value 0: INT_TYPE_BIG_INT: want at most 5, got 6`}},
		{example.Example{"\xff": I(1, 2), "v": I(1)}, []string{`feature "s": SPARSE_FEATURE_LENGTH_MISMATCH: want parts of one length, got "v" 1, "b64:/w==" 2`}},
		{example.Example{"\xff": I(1), "v": I(1), "\xfe": I(1)}, []string{`feature "b64:/g==": SCHEMA_NEW_COLUMN: want a feature of the schema, got another name`}},
		{example.Example{"v": I(1)}, []string{`feature "b64:/w==": FEATURE_TYPE_LOW_FRACTION_PRESENT: want a required feature, got none`,
			`feature "s": SPARSE_FEATURE_LENGTH_MISMATCH: want parts of one length, got "v" 1, "b64:/w==" 0`}},
	} {
		if got := texts(c.Check(encode(t, x.record))); !slices.Equal(got, x.want) {
			t.Errorf("%v:\ngot    %q\nwanted %q", x.record, got, x.want)
		}
	}
}

// TestPaths checks that findings quote steps with dots, as anomalies of TensorFlow Data Validation do.
func TestPaths(t *testing.T) {
	I := example.Int64s
	of := func(found []record.Finding) (paths []string) {
		for _, f := range found {
			paths = append(paths, f.Feature)
		}
		return paths
	}
	c := checker(t, `feature { name: 'user.id' type: INT int_domain { max: 5 } } feature { name: '' type: INT int_domain { max: 5 } }
		feature { name: 'i' } sparse_feature { name: 's.p' index_feature { name: 'i' } value_feature { name: 'user.id' } }`, nil)
	got := of(c.Check(encode(t, example.Example{"user.id": I(6), "": I(6), "it's": I(1)})))
	if want := []string{"'it''s'", "'user.id'", "''", "'s.p'"}; !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}

	spec := feature.Spec{Sequence: feature.Features{"v": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n")}}}}
	c = checker(t, `feature { name: '##SEQUENCE##' type: STRUCT struct_domain { feature { name: 'a.b' type: INT int_domain { max: 5 } } } }`, &record.Options{Message: example.TypeSequence, Spec: spec})
	got = of(c.Check(encode(t, example.Sequence{Lists: map[string][]example.Value{"a.b": {I(6)}, "c.d": {I(6)}, "v": {I(6)}, "n": {I(2)}}})))
	slices.Sort(got)
	if want := []string{"##SEQUENCE##.'a.b'", "##SEQUENCE##.'c.d'", "##SEQUENCE##.n", "##SEQUENCE##.n", "##SEQUENCE##.v"}; !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}

package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/test/testkit"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// checkScanned is Check with unit.scan only.
func (c *Checker) checkScanned(record []byte) []Finding {
	out := &collector{max: c.max, ignore: c.ignore}
	u, s := c.record, c.record.scratch.New().(*scratch)
	s.out, s.example = out, -1
	if err := u.scan(s, record); err != nil {
		out.setBadRecord(err)
		return out.listFindings()
	}
	u.checkFeatures(s)
	u.checkParse(s, record)
	return out.listFindings()
}

// walks reports whether a walk reads a record.
func (c *Checker) walks(record []byte) bool {
	s := c.record.scratch.New().(*scratch)
	s.out = &collector{}
	return c.record.walk(s, record)
}

// constraints are the fields that a schema may have for a feature, by type.
var constraints = map[string][]string{
	"": {"", "value_count { min: 1 max: 2 }", "int_domain { min: 0 max: 9 }", "float_domain { min: 0 max: 9 }", "string_domain { value: 'x' }", "bool_domain { }"},
	"INT": {"", "int_domain { min: 0 max: 9 }", "int_domain { max: 100 }", "bool_domain { }", "value_count { min: 1 max: 3 }", "shape { dim { size: 2 } }", "time_of_day_domain { integer_format: PACKED_64_NANOS }",
		"natural_language_domain { token_constraints { int_value: 1 max_per_sequence: 1 } sequence_length_constraints { excluded_int_value: 0 max_sequence_length: 2 } }"},
	"FLOAT": {"", "float_domain { min: -1 max: 1 }", "float_domain { disallow_nan: true disallow_inf: true }", "float_domain { max: 0 disallow_inf: true }", "bool_domain { }", "shape { }", "float_domain { is_embedding: true embedding_dim: 2 }"},
	"BYTES": {"", "string_domain { value: 'x' value: 'yy' }", "domain: 'shared'", "bool_domain { true_value: 'x' false_value: 'yy' }", "int_domain { min: 1 max: 20 }", "float_domain { min: 1 }", "image_domain { max_image_byte_size: 2 }", "value_count { min: 2 }", "image_domain { minimum_supported_image_fraction: 1 }", "url_domain { }", "time_domain { string_format: '%d' }",
		"natural_language_domain { token_constraints { string_value: 'x' min_per_sequence: 1 } }"},
}

// randomFeature returns a random feature of a schema.
func randomFeature(r *rand.Rand, name string) string {
	types := []string{"", "INT", "FLOAT", "BYTES"}
	typ := types[r.IntN(len(types))]
	text := fmt.Sprintf("feature { name: %q ", name)
	if typ != "" {
		text += "type: " + typ + " "
	}
	if r.IntN(2) == 0 {
		text += "presence { min_fraction: 1 } "
	}
	switch r.IntN(12) {
	case 0:
		text += "lifecycle_stage: DEPRECATED "
	case 1:
		text += "not_in_environment: 'E' "
	}
	return text + constraints[typ][r.IntN(len(constraints[typ]))] + " }\n"
}

func randomValue(r *rand.Rand) example.Value {
	v := example.Value{}
	n := []int{0, 1, 1, 1, 1, 2, 2, 3, 40}[r.IntN(9)]
	switch r.IntN(8) {
	case 0:
	case 1, 2, 3:
		v.Int64s = make([]int64, n)
		for i := range v.Int64s {
			v.Int64s[i] = []int64{0, 1, 2, 9, 10, 100, -1, math.MaxInt64, math.MinInt64, r.Int64()}[min(r.IntN(40), 9)%(2+r.IntN(8))]
		}
	case 4, 5:
		v.Floats = make([]float32, n)
		for i := range v.Floats {
			v.Floats[i] = []float32{0, 1, -1, 0.5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[r.IntN(7)%(1+r.IntN(7))]
		}
	default:
		v.Bytes = make([][]byte, n)
		for i := range v.Bytes {
			v.Bytes[i] = []byte([]string{"x", "yy", "7", "19", "1.5", "zzz", "\xff", "", strings.Repeat("w", 200)}[r.IntN(9)%(2+r.IntN(7))])
		}
	}
	return v
}

var names = []string{"a", "b", "c", "a name of more than sixteen bytes, 1", "a name of more than sixteen bytes, 2", "n", "v", "q", strings.Repeat("long", 40), "b64:/g==", "\xfe"}

// checkers returns Checkers with random schemas, for Examples and for SequenceExamples.
func checkers(t testing.TB, r *rand.Rand) []*Checker {
	var out []*Checker
	for range 60 {
		var top, lists string
		for _, name := range names {
			if !utf8.ValidString(name) {
				continue // the schema already has this name
			}
			if r.IntN(4) > 0 {
				top += randomFeature(r, name)
			}
			if r.IntN(4) > 0 {
				lists += randomFeature(r, name)
			}
		}
		ragged := feature.Features{"v": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("q"), feature.RowSplits("n")}},
			"c": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.UniformRowLength(2)}}}
		o := Options{Environment: []string{"", "E"}[r.IntN(2)], MaxFindings: []int{0, 0, 2}[r.IntN(3)]}
		for _, mt := range []example.MessageType{example.TypeExample, example.TypeSequence} {
			text := top + "default_environment: ['E', 'F'] string_domain { name: 'shared' value: 'x' }\n"
			o.Message = mt
			o.Spec = feature.Spec{}
			if mt == example.TypeSequence {
				text += "feature { name: '##SEQUENCE##' struct_domain { " + lists + "} }"
				if r.IntN(2) == 0 {
					o.Spec.Sequence = ragged
				}
			} else if r.IntN(2) == 0 {
				o.Spec.Features = ragged
				text += "sparse_feature { name: 's' index_feature { name: 'a' } value_feature { name: 'b' } }"
			}
			var schema *pb.Schema
			if r.IntN(8) > 0 {
				schema = &pb.Schema{}
				if err := pbtext.Unmarshal([]byte(text), schema); err != nil {
					t.Fatal(err)
				}
			} else {
				o.Environment = ""
			}
			c, err := NewChecker(schema, &o)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, c)
		}
	}
	return out
}

// agree compares the findings of Check with those of checkScanned.
func agree(t *testing.T, c *Checker, msg []byte) {
	t.Helper()
	errs := cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error()) })
	if diff := cmp.Diff(c.checkScanned(msg), c.Check(msg), errs); diff != "" {
		t.Fatalf("% x:\n%s", msg, diff)
	}
}

// damage changes a message: to another encoding, or to bytes that do not decode.
func damage(r *rand.Rand, msg []byte) []byte {
	out := slices.Clone(msg)
	for range 1 + r.IntN(3) {
		if len(out) == 0 {
			break
		}
		switch at := r.IntN(len(out)); r.IntN(4) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			out = out[:at]
		case 2:
			out = append(out, msg...) // every name twice
		case 3:
			out = slices.Insert(out, at, byte(r.Uint32()))
		}
	}
	return out
}

// TestWalkIsScan checks random records against random schemas with walk and with scan.
func TestWalkIsScan(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	all := checkers(t, r)
	sure, found := 0, 0
	count := 2500
	if testkit.Long(t, "10,000 records") {
		count = 10_000
	}
	for n := range count {
		c := all[n%len(all)]
		e := example.Example{}
		for _, name := range append(names, "one that no schema has") {
			if r.IntN(5) > n%5 {
				e[name] = randomValue(r)
			}
		}
		var m interface{ MarshalBinary() ([]byte, error) } = e
		if c.message == example.TypeSequence {
			lists := map[string][]example.Value{}
			for _, name := range names {
				for range r.IntN(4) - n%3 {
					lists[name] = append(lists[name], randomValue(r))
				}
			}
			m = example.Sequence{Context: e, Lists: lists}
		}
		msg, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		agree(t, c, msg)
		agree(t, c, damage(r, msg))
		if c.walks(msg) {
			sure++
			found += len(c.Check(msg))
		}
	}
	if sure < count/5 || found < count/5 {
		t.Errorf("%d records were walked, with %d findings", sure, found)
	}
}

func FuzzWalk(f *testing.F) {
	r := rand.New(rand.NewPCG(8, 8))
	all := checkers(f, r)
	msg, _ := example.Example{"a": example.Int64s(1), "v": example.Int64s(1, 2), "q": example.Int64s(2), "n": example.Int64s(0, 1)}.MarshalBinary()
	f.Add(0, msg)
	f.Fuzz(func(t *testing.T, which int, msg []byte) {
		agree(t, all[uint(which)%uint(len(all))], msg)
	})
}

// TestCollidingNames checks a record with 32,000 colliding names, all of them in the schema. It took
// minutes when the index of names had a hash with fixed factors.
func TestCollidingNames(t *testing.T) {
	names := testkit.CollidingNames(32_000)
	schema, e := &pb.Schema{}, example.Example{}
	for _, name := range names {
		schema.Feature = append(schema.Feature, &pb.Feature{Name: new(name), Type: pb.FeatureType_INT.Enum()})
		e[name] = example.Int64s(1)
	}
	b, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	c, err := NewChecker(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !c.walks(b) {
		t.Error("no walk reads a record of many names")
	}
	if spent := time.Since(start); spent > 10*time.Second && testkit.Timing(t, "the time that colliding names take") {
		t.Errorf("%d names took %v", len(names), spent)
	}
}

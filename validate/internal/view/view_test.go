package view_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// TestPath checks the examples in TensorFlow Data Validation's documentation of paths.
func TestPath(t *testing.T) {
	for _, c := range []struct {
		path view.Path
		want string
	}{
		{view.Path{"a", "b", "c"}, "a.b.c"}, {view.Path{"a", ".b", "'c'"}, "a.'.b'.'''c'''"}, {view.Path{"a", "(b'.d)", "((c)"}, "a.(b'.d).'((c)'"},
		{view.Path{""}, "''"}, {nil, ""}, {view.Path{"()"}, "()"}, {view.Path{"("}, "'('"}, {view.Path{"a", "", "b"}, "a.''.b"},
	} {
		if got := c.path.String(); got != c.want {
			t.Errorf("%q: %s, wanted %s", []string(c.path), got, c.want)
		}
		if again, err := view.ParsePath(c.want); err != nil || !slices.Equal(again, c.path) {
			t.Errorf("%s: %q, %v, wanted %q", c.want, []string(again), err, []string(c.path))
		}
	}
	if p, err := view.ParsePath("'a'.'b'"); err != nil || !slices.Equal(p, view.Path{"a", "b"}) {
		t.Errorf("quotes that are not needed: %q, %v", []string(p), err)
	}
	for _, bad := range []string{"a'", "'a", "(b", "c'd", "'c'd'", "''cd'", "'c'''d'", "a..b", ".", "a.", "(a(b))"} {
		if p, err := view.ParsePath(bad); err == nil {
			t.Errorf("%s: %q, wanted an error", bad, []string(p))
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a.b", "'a''b'.(c.d)", "''"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		p := view.Path{a, b}
		if again, err := view.ParsePath(p.String()); err != nil || !slices.Equal(again, p) {
			t.Errorf("%q: %s: %q, %v", []string(p), p, []string(again), err)
		}
		if p, err := view.ParsePath(a); err == nil {
			if again, err := view.ParsePath(p.String()); err != nil || !slices.Equal(again, p) {
				t.Errorf("%s: %q, again %q, %v", a, []string(p), []string(again), err)
			}
		}
	})
}

func dataset(t *testing.T, text string) (*view.Dataset, error) {
	t.Helper()
	d := &pb.DatasetFeatureStatistics{}
	if err := pbtext.Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	return view.New(d)
}

// tree formats features with their children.
func tree(all []*view.Feature) string {
	var b strings.Builder
	for _, f := range all {
		b.WriteString(f.Path.String())
		if len(f.Children) > 0 {
			b.WriteString("[" + tree(f.Children) + "]")
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func TestTree(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"paths", `features { path { step: 's' step: 'b' } num_stats {} } features { path { step: 's' } type: STRUCT struct_stats {} }
			features { path { step: 'x' step: 'y' } num_stats {} } features { path { step: 's' step: 'a' } num_stats {} }`, "s[s.a s.b] x.y"},
		{"names", `features { name: 's.b' num_stats {} } features { name: 's' type: STRUCT struct_stats {} } features { name: 't.u' num_stats {} }
			features { name: 's.a' type: STRUCT struct_stats {} } features { name: 's.a.c' num_stats {} }`, "s[s.a[s.a.c] s.b] 't.u'"},
		{"nothing about a feature", `features { name: 'a' } features { name: 'b' num_stats {} }`, "b"},
		{"one without a name", `features { num_stats {} }`, "''"},
	} {
		d, err := dataset(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := tree(d.Roots()); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.name, got, c.want)
		}
	}
	for name, text := range map[string]string{
		"a name and a path": `features { name: 'a' num_stats {} } features { path { step: 'b' } num_stats {} }`,
		"one path twice":    `features { path { step: 'b' } num_stats {} } features { path { step: 'b' } num_stats {} }`,
		"one name twice":    `features { name: 'b' num_stats {} } features { name: 'b' num_stats {} }`,
		"an empty path":     `features { path { } num_stats {} }`,
	} {
		if _, err := dataset(t, text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestWeights checks that a view is weighted only if all features have weights.
func TestWeights(t *testing.T) {
	const weighted = `features { path { step: 'a' } num_stats { common_stats { num_non_missing: 3 weighted_common_stats { num_non_missing: 1.5 } } } }`
	for text, want := range map[string]float64{
		weighted:                               3,
		"weighted_num_examples: 2 " + weighted: 1.5,
		"weighted_num_examples: 2 " + weighted + ` features { path { step: 'b' } num_stats { } }`:                          3,
		"weighted_num_examples: 2 " + weighted + ` features { path { step: 'b' } custom_stats { name: 'missing_value' } }`: 1.5,
	} {
		d, err := dataset(t, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.ByPath(view.Path{"a"}).Present(); got != want {
			t.Errorf("%s: present %v, wanted %v", text, got, want)
		}
	}
}

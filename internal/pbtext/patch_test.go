package pbtext_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
)

func ExamplePatch() {
	const text = `# The riders.
feature {
  name: "age"   # in years
  type: INT
  int_domain { min: 0 }  # nobody is older than 120
}
`
	var s metadatapb.Schema
	_ = pbtext.Unmarshal([]byte(text), &s)
	s.Feature[0].GetIntDomain().Max = proto.Int64(120)
	s.Feature = append(s.Feature, &metadatapb.Feature{Name: proto.String("city")})
	patched, err := pbtext.Patch([]byte(text), &s)
	fmt.Printf("%s%v\n", patched, err)
	// Output:
	// # The riders.
	// feature {
	//   name: "age"   # in years
	//   type: INT
	//   int_domain { min: 0 max: 120 }  # nobody is older than 120
	// }
	// feature {
	//   name: "city"
	// }
	// <nil>
}

func TestPatch(t *testing.T) {
	for _, c := range []struct{ name, text, want, patched string }{
		{"nothing", "# a\nfeature { name: 'x' };", "feature { name: 'x' }", "# a\nfeature { name: 'x' };"},
		{"a scalar", "feature: < name: 'x' type: 2 > # c", "feature { name: 'x' type: FLOAT }", "feature: < name: 'x' type: FLOAT > # c"},
		{"a value of a list", "string_domain { name: 'd' value: ['a', 'b'] # c\n}", "string_domain { name: 'd' value: 'a' value: 'b' value: 'c' }",
			"string_domain { name: 'd' value: ['a', 'b', \"c\"] # c\n}"},
		{"a value before a list", "string_domain { value: [ 'a' ] }", "string_domain { value: ['0', 'a'] }", "string_domain { value: [ \"0\", 'a' ] }"},
		{"values out of a list", "string_domain { value: ['a', 'b', 'c', 'd'] }", "string_domain { value: ['b'] }", "string_domain { value: ['b'] }"},
		{"a value on a line", "string_domain {\n  value: 'a' # first\n  value: 'c'\n}", "string_domain { value: ['a', 'b', 'c'] }",
			"string_domain {\n  value: 'a' # first\n  value: \"b\"\n  value: 'c'\n}"},
		{"a value in a line", "string_domain { value: 'a', value: 'c' }", "string_domain { value: ['a', 'b  b', 'c'] }", "string_domain { value: 'a', value: \"b  b\" value: 'c' }"},
		{"a field out", "feature {\n  name: 'x'\n  # why\n  shape { # scalar\n  }\n  type: INT\n}\n", "feature { name: 'x' type: INT }",
			"feature {\n  name: 'x'\n  # why\n  # scalar\n  type: INT\n}\n"},
		{"a field into a file without an end of line", "feature { name: 'x' } # last", "feature { name: 'x' } default_environment: 'A'", "feature { name: 'x' } # last\ndefault_environment: \"A\"\n"},
		{"one of two", "feature {\n  int_domain { min: 1 }\n}\n", "feature { float_domain { max: 2 } }", "feature {\n  float_domain {\n    max: 2.0\n  }\n}\n"},
		{"a feature among others", "feature { name: 'a' }\n# b follows\nfeature { name: 'b' }\n", "feature { name: 'a' } feature { name: 'n' } feature { name: 'b' }",
			"feature { name: 'a' }\nfeature {\n  name: \"n\"\n}\n# b follows\nfeature { name: 'b' }\n"},
		{"strings side by side", "feature { domain: 'a' # one\n 'b' }", "feature { domain: 'c' }", "feature { domain: \n# one\n\"c\" }"},
		{"a negative number", "feature { int_domain { min: - 5 } }", "feature { int_domain { min: -6 } }", "feature { int_domain { min: -6 } }"},
		{"an empty text", "", "feature { name: 'a' }", "feature {\n  name: \"a\"\n}\n"},
		{"all of it", "feature { name: 'a' } # c\n", "", " # c\n"},
	} {
		var want metadatapb.Schema
		if err := pbtext.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := pbtext.Patch([]byte(c.text), &want); err != nil || string(got) != c.patched {
			t.Errorf("%s: %v\ngot    %q\nwanted %q", c.name, err, got, c.patched)
		}
	}
	if _, err := pbtext.Patch([]byte("feature { colour: 3 }"), &metadatapb.Schema{}); err == nil || !strings.Contains(err.Error(), "colour") {
		t.Errorf("an unknown field: %v", err)
	}
}

// For any two texts, the patched text has the content of the other, and keeps every comment.
func FuzzPatch(f *testing.F) {
	f.Add([]byte("feature: < name: 'x'; type: 2, >#c\nfeature { shape { dim [{size: 1}, <size: 2>] } }"), []byte("feature { name: 'y' shape { dim { size: 2 } } }"))
	f.Add([]byte("string_domain { value: ['a', 'b' #c\n, 'c',] }"), []byte("string_domain { value: 'b' value: 'd' }"))
	f.Add([]byte("annotation { extra_metadata { [type.googleapis.com/tensorflow.metadata.v0.Path] { step: 'a' } } }"), []byte("annotation { extra_metadata { type_url: 'x' value: 'y' } }"))
	f.Add([]byte("string_domain { value: 'a' value: 'b' # c\n}"), []byte("string_domain { value: 'b' value: 'a' }"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var before, want, got metadatapb.Schema
		if pbtext.Unmarshal(a, &before) != nil || pbtext.Unmarshal(b, &want) != nil {
			return
		}
		patched, err := pbtext.Patch(a, &want)
		if err != nil {
			t.Fatalf("%v\n%q\n%q", err, a, b)
		}
		if err := pbtext.Unmarshal(patched, &got); err != nil || !proto.Equal(&want, &got) {
			t.Fatalf("%v: %q", err, patched)
		}
		if before, after := comments(a), comments(patched); after < before {
			t.Fatalf("%d comments of %d are left:\n%q\n%q", after, before, a, patched)
		}
		if same, err := pbtext.Patch(a, &before); err != nil || !bytes.Equal(same, a) {
			t.Fatalf("%v: %q, wanted %q as it was", err, same, a)
		}
	})
}

// comments counts the comments of a text.
func comments(text []byte) (n int) {
	quote, comment := byte(0), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case comment:
			comment = c != '\n'
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#':
			comment = true
			n++
		}
	}
	return n
}

package scan

import (
	"encoding/json"
	"testing"

	"github.com/tfparse/tfparse/feature"
)

// The lines of a spec are the same spec, whatever stands in its names.
func TestIndentSpec(t *testing.T) {
	for _, text := range []string{
		`{"features":{"a\\\",{[:]}":{"fixed_len":{"dtype":"string","shape":[2,3],"default":["\\","{","]}:,","","",""]}},"b":{"var_len":{"dtype":"int64"}}}}`,
		`{"context":{"a":{"var_len":{"dtype":"int64"}}},"examples":{}}`,
	} {
		var want, got feature.Spec
		if err := want.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		lines := IndentSpec([]byte(text))
		if err := got.UnmarshalJSON(lines); err != nil {
			t.Errorf("%v\n%s", err, lines)
			continue
		}
		a, err := json.Marshal(want)
		b, err2 := json.Marshal(got)
		if err != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s became %s", a, b)
		}
	}
}

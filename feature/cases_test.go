package feature_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

var caseFile = flag.String("cases", "", "write what we encode to the `file`, for testdata/make/encode.py")

// TestWriteCases writes random specs with records that we encoded. TensorFlow's reading
// of them is what the vectors of the family encode are.
func TestWriteCases(t *testing.T) {
	if *caseFile == "" {
		t.Skip("no file is named by -cases: there is nothing to write")
	}
	f, err := os.Create(*caseFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := json.NewEncoder(f)
	for seed, n := uint64(1<<20), 0; n < 400; seed++ {
		g := newGen(nil, seed)
		spec := g.spec()
		call := map[example.MessageType]string{example.TypeExample: "parse_example", example.TypeSequence: "parse_sequence_example"}[spec.Message()]
		if call == "" || strings.Contains(specText(spec), "b64:") {
			continue // TensorFlow has no call for it, or Python no name
		}
		if strings.Contains(specText(spec), `"row_splits":"v"`) || strings.Contains(specText(spec), `"row_splits":"n"`) || strings.Contains(specText(spec), `"row_splits":"m"`) {
			continue // a shared key may have to be empty, which single form refuses for row_splits
		}
		b := parser(t, spec).NewBatch()
		for range 1 + g.n(4) {
			b.Append(g.record(spec, false))
		}
		records, err := b.Encode()
		if err != nil || len(records) == 0 {
			continue
		}
		if g.oneIn(3) {
			call = strings.Replace(call, "parse_", "parse_single_", 1)
			records = records[:1]
		}
		groups := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(specText(spec)), &groups); err != nil {
			t.Fatal(err)
		}
		if err := out.Encode(map[string]any{"name": fmt.Sprintf("encoded %d", n), "tags": kinds(spec), "call": call, "spec": groups, "records": records}); err != nil {
			t.Fatal(err)
		}
		n++
	}
}

// kinds names the kinds in a spec, for the tags of a case.
func kinds(s feature.Spec) []string {
	tags := []string{"encode"}
	for _, k := range []string{"fixed_len", "fixed_len_sequence", "var_len", "sparse", "ragged"} {
		if strings.Contains(specText(s), `"`+k+`":`) {
			tags = append(tags, k)
		}
	}
	return tags
}

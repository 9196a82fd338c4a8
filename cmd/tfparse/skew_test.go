package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// A skewCase is a call of TensorFlow Data Validation's DetectFeatureSkew, made by testdata/make/skew.py.
type skewCase struct {
	Name, Note string
	Base, Test [][]byte
	Options    struct {
		Identifiers []string `json:"identifier_features"`
		Ignore      []string `json:"features_to_ignore"`
		Digits      *int     `json:"float_round_ndigits"`
		Duplicates  bool     `json:"allow_duplicate_identifiers"`
	}
	Expect struct {
		Features []map[string]any `json:"skew_results"`
		Match    map[string]any   `json:"match_stats"`
		Pairs    int              `json:"skew_pairs"`
	}
}

// sameZeros are the cases with a pair that differs for TensorFlow Data Validation only: 0 and -0 after rounding.
var sameZeros = []string{"digits 0", "digits 1", "nan digits"}

// TestSkewLikeTFDV compares the counts of skew with those of TensorFlow Data Validation: in memory, and with
// temporary files.
func TestSkewLikeTFDV(t *testing.T) {
	t.Parallel()
	b, err := testkit.ReadFile("../../testdata/skew.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for line := range bytes.Lines(b) {
		var c skewCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		cases++
		t.Run(c.Name, func(t *testing.T) {
			var args []string
			for _, name := range c.Options.Identifiers {
				args = append(args, "--by", name)
			}
			for _, name := range c.Options.Ignore {
				args = append(args, "--drop", name)
			}
			if c.Options.Digits != nil {
				args = append(args, "--round-digits", fmt.Sprint(*c.Options.Digits))
			}
			if c.Options.Duplicates {
				args = append(args, "--allow-duplicate-keys")
			}
			if slices.Contains(sameZeros, c.Name) {
				c.Expect.Pairs--
				for _, f := range c.Expect.Features {
					if f["feature_name"] == "x" {
						f["match_count"], f["mismatch_count"], f["diff_count"] = f["match_count"].(float64)+1, f["mismatch_count"].(float64)-1, f["diff_count"].(float64)-1
					}
				}
			}
			dir := t.TempDir()
			for side, records := range [][][]byte{c.Base, c.Test} {
				name := filepath.Join(dir, fmt.Sprint(side))
				writeRecords(t, name, records)
				args = append(args, name)
			}
			for _, memory := range []string{"1", "1MiB"} {
				c.check(t, append([]string{"skew", "--type", "example", "--format", "json", "--samples", "2", "--memory", memory}, args...))
			}
		})
	}
	if cases < 40 {
		t.Errorf("%d cases, want at least 40", cases)
	}
}

func (c *skewCase) check(t *testing.T, args []string) {
	code, stdout, stderr := runWith(t, nil, args...)
	var got struct {
		Skewed   int              `json:"skewed_pairs"`
		Features []map[string]any `json:"features"`
		Match    map[string]any   `json:"match_stats"`
		Samples  []any            `json:"samples"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); code != 0 || stderr != "" || err != nil {
		t.Fatalf("%q: exit code %d, %q, %v", args, code, stderr, err)
	}
	byName := map[any]map[string]any{}
	for _, f := range got.Features {
		byName[f["name"]] = f
	}
	for _, want := range c.Expect.Features {
		f := byName[want["feature_name"]]
		for member, n := range want {
			if member != "feature_name" && f[member] != n {
				t.Errorf("%q: %v of %v is %v, want %v", args, member, want["feature_name"], f[member], n)
			}
		}
		delete(byName, want["feature_name"])
	}
	if len(byName) > 0 {
		t.Errorf("%q: counts of %v, which are not expected", args, slices.Collect(maps.Keys(byName)))
	}
	for member, n := range c.Expect.Match {
		if got.Match[member] != n {
			t.Errorf("%q: %v is %v, want %v", args, member, got.Match[member], n)
		}
	}
	if got.Skewed != c.Expect.Pairs || len(got.Samples) != min(2, c.Expect.Pairs) {
		t.Errorf("%q: %d pairs differ, and %d are printed; want %d", args, got.Skewed, len(got.Samples), c.Expect.Pairs)
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// TestErrorsJSON checks the errors of programs that set TFPARSE_ERRORS.
func TestErrorsJSON(t *testing.T) {
	t.Setenv(cli.ErrorsVariable, "json")
	b, err := os.ReadFile("../../testdata/recipes.tfrecord")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(cut, b[:3000], 0o666); err != nil {
		t.Fatal(err)
	}
	spec := "../../testdata/sessions.spec.json"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"cat", "none"}, `{"file":"none","message":"none: no such file or directory"}` + "\n"},
		{[]string{"cat", "--where", "a ==", cut}, `{"message":"cat: --where: `},
		{[]string{"count", cut}, `{"file":"` + cut + `","class":"truncated","record":5,"offset":2785,"message":"` + cut +
			`#5: record 5 (offset 0xae1): truncated: the stream ends after 203 of the 545 bytes of payload and footer"}` + "\n"},
		{[]string{"cat", "--type", "sequence", "--spec", spec, "../../testdata/recipes.tfrecord"},
			`{"file":"../../testdata/recipes.tfrecord","class":"message","record":0,"offset":0,"feature":"country","message":"../../testdata/recipes.tfrecord#0: `},
	} {
		_, _, stderr := runWith(t, nil, c.args...)
		if !strings.HasPrefix(stderr, c.want) || !json.Valid([]byte(stderr)) {
			t.Errorf("%q:\n%s\nwant\n%s", c.args, stderr, c.want)
		}
	}
}

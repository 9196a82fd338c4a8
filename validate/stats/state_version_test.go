package stats_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/validate/stats"
)

// TestStateOfAnotherVersion checks the error about the state of another version.
func TestStateOfAnotherVersion(t *testing.T) {
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"tfparse stats 1\n and more": `unsupported version "tfparse stats 1"`,
		"tfparse stats":              "unknown header",
		"something else\n":           "unknown header",
		"":                           "unknown header",
	} {
		if err := a.UnmarshalBinary([]byte(text)); !errors.Is(err, stats.ErrState) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

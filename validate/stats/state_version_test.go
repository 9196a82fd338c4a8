package stats_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/validate/stats"
)

// TestStateOfAnotherVersion: the state that another version wrote is named as that.
func TestStateOfAnotherVersion(t *testing.T) {
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"tfparse stats 1\n and more": `another version of tfparse wrote it, in the form "tfparse stats 1"`,
		"tfparse stats":              "does not begin as one",
		"something else\n":           "does not begin as one",
		"":                           "does not begin as one",
	} {
		if err := a.UnmarshalBinary([]byte(text)); !errors.Is(err, stats.ErrState) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/storage"
)

func TestElsewhere(t *testing.T) {
	for arg, want := range map[string]string{
		"gs://b/x@2": "not a file: the tfparse of full/cmd/tfparse opens it; or use a pipe",
		"s3://b/*":   "not a file: the tfparse of full/cmd/tfparse opens it; or use a pipe",
		"az://b/x":   "not a file: copy it, or use a pipe",
		"file:///x":  "name the path alone, without file://",
		"c:/x":       "",
		"x":          "",
	} {
		if got := ElsewhereAdvice(arg); got != want {
			t.Errorf("advice for %s: %q; want %q", arg, got, want)
		}
	}
}

// A vault is a store whose names have credentials in them.
type vault struct{ storage.Store }

func (vault) Public(name string) string { return strings.ReplaceAll(name, "secret", "shown") }

func TestPublic(t *testing.T) {
	storage.Register("vault", vault{})
	args := []string{"cat", "vault://secret@h/x#5:9", "--spec=vault://h/secret", "--schema", "vault://h/secret", "secret", "--where=a == \"secret\"", "-", "other://secret"}
	want := []string{"cat", "vault://shown@h/x#5:9", "--spec=vault://h/shown", "--schema", "vault://h/shown", "secret", "--where=a == \"secret\"", "-", "other://secret"}
	if got := publicArgs(args); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

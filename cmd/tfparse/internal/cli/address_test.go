package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/storage"
)

func TestElsewhere(t *testing.T) {
	for arg, want := range map[string]string{
		"gs://b/x@2": "only files are read, and standard input: gcloud storage cat gs://b/x@2 | tfparse COMMAND; the tfparse that is built from store/cmd/tfparse opens it",
		"s3://b/*":   "only files are read, and standard input: aws s3 cp s3://b/* - | tfparse COMMAND; the tfparse that is built from store/cmd/tfparse opens it",
		"az://b/x":   "only files are read, and standard input: copy it here, or pipe it into tfparse COMMAND",
		"file:///x":  "name the path alone, without file://",
		"c:/x":       "",
		"x":          "",
	} {
		if got := elsewhere(arg); got != want {
			t.Errorf("elsewhere(%s) = %q; want %q", arg, got, want)
		}
	}
}

func TestElsewhereOutput(t *testing.T) {
	for arg, want := range map[string][2]string{
		"gs://b/x":  {"only files are written, and standard output: tfparse COMMAND -o - | gcloud storage cp - gs://b/x; the tfparse that is built from store/cmd/tfparse opens it", "only files are read: copy it here; the tfparse that is built from store/cmd/tfparse opens it"},
		"az://b/x":  {"only files are written, and standard output: write a file, and copy it there", "only files are read: copy it here"},
		"file:///x": {"name the path alone, without file://", "name the path alone, without file://"},
		"c:/x":      {"", ""},
	} {
		if got := [2]string{elsewhereWrite(arg), ElsewhereFile(arg)}; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
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
	if got := public(args); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

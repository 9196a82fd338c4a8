package store_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/store"
)

// TestVersionNamesSchemes checks that the version says which of the two commands called tfparse opens objects.
func TestVersionNamesSchemes(t *testing.T) {
	store.Register(nil)
	var stdout, stderr bytes.Buffer
	code := command.Program().Run(t.Context(), []string{"version"}, strings.NewReader(""), &stdout, &stderr)
	if code != 0 || stderr.Len() > 0 || !strings.HasSuffix(stdout.String(), " with gs, http, https, s3\n") {
		t.Errorf("exit code %d: %s%s", code, stdout.String(), stderr.String())
	}
}

package report_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
)

func write(t testing.TB, in *report.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func mustText(t testing.TB, text string, s *pb.Schema) {
	t.Helper()
	if err := pbtext.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
}
func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, wanted %v", what, got, want)
	}
}

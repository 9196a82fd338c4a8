package report_test

import (
	"io"
	"testing"

	"github.com/tfparse/tfparse/internal/test/reports"
	"github.com/tfparse/tfparse/validate/report"
)

func BenchmarkWrite(b *testing.B) {
	in := &report.Input{Sides: []report.Side{{Statistics: reports.Large(1000)}}}
	b.SetBytes(int64(len(write(b, in))))
	for b.Loop() {
		if err := report.Write(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}

package files

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// A faultReport is a fault as reports in JSON print it. Fields are nil where a
// thing is not known.
type faultReport struct {
	Class     *string `json:"class"`
	Record    *int64  `json:"record"`
	Offset    *int64  `json:"offset"`
	Message   string  `json:"message"`
	LooksLike *string `json:"looks_like"`
}

func reportOf(f *scan.Fault) faultReport {
	return faultReport{
		Class:     cli.Known(f.Class, f.Class != ""),
		Record:    cli.Known(f.Record, f.Record >= 0),
		Offset:    cli.Known(f.Offset, f.Offset >= 0),
		Message:   f.Detail(),
		LooksLike: cli.Known(f.LooksLike, f.LooksLike != ""),
	}
}

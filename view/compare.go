package view

import (
	"bytes"
	"net/http"

	"github.com/tfparse/tfparse/validate/report"
)

// serveCompare answers with the distances between the data sets, and the statistics of both.
func (h *Handler) serveCompare(w http.ResponseWriter, r *http.Request) {
	h.serveAnalysis(w, r, "compare", 2, func(b *bytes.Buffer, all []*analysis, progress *report.Progress) error {
		in, err := h.pageInput(all, progress)
		if err != nil {
			return err
		}
		in.Title = h.sets[0] + " and " + h.sets[1]
		return report.Write(b, in)
	})
}

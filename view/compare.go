package view

import (
	"net/http"

	"github.com/tfparse/tfparse/validate/report"
)

// serveCompare answers with the distances between the data sets, and the statistics of both.
func (h *Handler) serveCompare(w http.ResponseWriter, r *http.Request) {
	h.serveAnalysis(w, r, "compare", 2, func(in *report.Input, _ []*analysis) error {
		in.Title = "Comparison"
		return nil
	})
}

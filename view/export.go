package view

import "net/http"

func (h *Handler) serveExport(w http.ResponseWriter, r *http.Request) { fail(w, http.StatusNotImplemented, "not yet") }

package view

import "net/http"

func (h *Handler) serveSet(w http.ResponseWriter, r *http.Request) { fail(w, http.StatusNotImplemented, "not yet") }

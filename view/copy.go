package view

import "net/http"

func (h *Handler) serveCopy(w http.ResponseWriter, r *http.Request) { fail(w, http.StatusNotImplemented, "not yet") }

func (h *Handler) serveSpec(w http.ResponseWriter, r *http.Request) { fail(w, http.StatusNotImplemented, "not yet") }

package view

import "net/http"

func (h *Handler) serveCheck(w http.ResponseWriter, r *http.Request) { fail(w, http.StatusNotImplemented, "not yet") }

func (h *Handler) serveFind(w http.ResponseWriter, r *http.Request) { fail(w, http.StatusNotImplemented, "not yet") }

package view

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/sniff"
)

// errNoValue is the error of a request for a value that the record does not have.
var errNoValue = errors.New("the record has no such value")

// parseValuePlace reads the parameters feature, step, example and value.
func parseValuePlace(r *http.Request) (p valuePlace, err error) {
	p.group, p.name, err = parseFeatureID(r.URL.Query().Get("feature"))
	step, err1 := intParam(r, "step", 0)
	ex, err2 := intParam(r, "example", 0)
	value, err3 := intParam(r, "value", 0)
	p.step, p.example, p.value = int(min(step, math.MaxInt32)), int(min(ex, math.MaxInt32)), int(min(value, math.MaxInt32))
	return p, cmp.Or(err, err1, err2, err3)
}

// messageOf returns the features of the message that has the value: the record, its context or an example.
func (h *Handler) messageOf(msg []byte, p valuePlace) (*messageFeatures, error) {
	if p.group == groupExamples && h.kind == example.TypeExampleList {
		for s := example.ScanExamples(msg); s.Next(); {
			if s.Index() == p.example {
				return collectFeatures(p.group, example.TypeExample.Scan(s.Example())), nil
			}
		}
	} else if m := h.topFeatures(msg); m.group == p.group {
		return m, nil
	}
	return nil, errNoValue
}

// findFeature returns the feature that a request names.
func (h *Handler) findFeature(msg []byte, v valuePlace) (example.Feature, error) {
	if v.group == groupLists && h.kind == example.TypeSequence {
		lists := collectLists(msg)
		list, _ := lists.lookUp(v.name)
		for s := list.Scan(); s.Next(); {
			if s.Index() == v.step {
				return s.Feature(), nil
			}
		}
		return example.Feature{}, cmp.Or(lists.err, errNoValue)
	}
	m, err := h.messageOf(msg, v)
	if err != nil {
		return example.Feature{}, err
	}
	f, ok := m.lookUp(v.name)
	if !ok {
		return f, cmp.Or(m.err, errNoValue)
	}
	return f, nil
}

// findBytes returns a byte string of a record.
func (h *Handler) findBytes(msg []byte, v valuePlace) ([]byte, error) {
	f, err := h.findFeature(msg, v)
	if err != nil {
		return nil, err
	}
	if err := f.Validate(); err != nil {
		return nil, err
	}
	i := 0
	for _, b := range featureValues(f) {
		if i == v.value && f.Kind() == example.BytesList {
			return b, nil
		}
		i++
	}
	return nil, errNoValue
}

// requestMessage reads the record that a request names. Damage is an error.
func (h *Handler) requestMessage(r *http.Request) ([]byte, error) {
	_, rec, err := h.requestRecord(r)
	return rec.data, cmp.Or(err, withStatus(http.StatusNotFound, rec.err))
}

// serveBytes answers with a byte string of a record.
func (h *Handler) serveBytes(w http.ResponseWriter, r *http.Request) error {
	v, err := parseValuePlace(r)
	if err != nil {
		return withStatus(http.StatusBadRequest, err)
	}
	msg, err := h.requestMessage(r)
	if err != nil {
		return err
	}
	b, err := h.findBytes(msg, v)
	if err != nil {
		return withStatus(http.StatusNotFound, err)
	}
	w.Header().Set("Content-Type", contentType(b))
	if w.Header().Get("Content-Type") == anyBytes {
		w.Header().Set("Content-Disposition", `attachment; filename="value.bin"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b)) // audio players ask for ranges
	return nil
}

// anyBytes is the type of bytes that no browser draws or plays.
const anyBytes = "application/octet-stream"

var imageTypes = map[sniff.Format]string{sniff.JPEG: "image/jpeg", sniff.PNG: "image/png", sniff.GIF: "image/gif", sniff.WebP: "image/webp", sniff.BMP: "image/bmp"}

// contentType returns the media type of bytes, from a fixed list: never one that may have scripts.
func contentType(v []byte) string {
	switch d := describeBytes(v); {
	case d.Image:
		return imageTypes[d.format]
	case d.Audio:
		return "audio/wav"
	}
	return anyBytes
}

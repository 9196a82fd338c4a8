package view

import (
	"context"
	"io"

	"github.com/tfparse/tfparse/internal/sniff"
)

const (
	groupFeatures = "features"
	groupContext  = "context"
	groupLists    = "feature_lists"
	groupExamples = "examples"
)

func featureID(group, name string) string { return group + ":" + name }

func visibleText[T string | []byte](v T) string { return string(v) }

type bytesContent struct {
	Content string
	Image   bool
	Audio   bool
}

func describeBytes(v []byte) bytesContent {
	c := sniff.Detect(v)
	return bytesContent{Content: c.String(), Image: c.Image.Height > 0}
}

// PageOptions are the settings of [Handler.WritePage].
type PageOptions struct {
	Context context.Context // ends the work; nil: never
	Limit   int             // maximum number of records
	Where   string          // condition for the records; "": all
}

// WritePage writes the page of some records as one file.
func (h *Handler) WritePage(w io.Writer, opts PageOptions) error {
	_, err := io.WriteString(w, "<!doctype html>")
	return err
}

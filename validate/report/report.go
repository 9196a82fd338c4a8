package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// MaxFeatures is how many features of all slices together are on a page.
const MaxFeatures = 4000

// ErrSides means that there is no data set, or more than two.
var ErrSides = errors.New("report: wanted one data set or two")

// A Side is one data set: its statistics and, where there are several in the list, those of
// its slices.
type Side struct {
	Name       string // what it is called on the page; need not be unique
	Size       string // of its files together, as "1.2 MiB"; left out if it is empty
	Statistics *pb.DatasetFeatureStatisticsList
}

// An Input is the content of a page. All but Sides may be left out. Nothing of it is changed
// or kept.
type Input struct {
	Title string // of the page; "Statistics" if it is empty

	// Sides are one data set, or two that stand side by side. Their slices are put
	// together by name; where each has only one, by being that.
	Sides []Side

	// Schema is what the features are declared to be.
	Schema *pb.Schema

	// Anomalies are what is wrong with the first data set. Those of slices have the
	// names that anomaly.ValidateSlices gives them.
	Anomalies *pb.Anomalies

	// Findings are what else is wrong with the first data set, as in single records.
	Findings []Finding

	// Drift says how the distance between two data sets is measured.
	Drift *drift.Options

	Note string // stands at the end of the page, as the command that made it
}

// A Finding is one thing that is wrong with a feature.
type Finding struct {
	Feature  string // its path as text, like the keys of Anomalies; empty for all of the data
	Severity string // error or warning
	Rule     string
	Text     string // may begin with a place
}

//go:embed page.html feature.html page.css page.js
var files embed.FS

// assets are what is the same on all pages.
type assets struct {
	page   *template.Template
	style  template.CSS
	script template.JS
	policy string
}

var parsed = func() assets {
	style, err := files.ReadFile("page.css")
	if err != nil {
		panic(err)
	}
	script, err := files.ReadFile("page.js")
	if err != nil {
		panic(err)
	}
	hash := func(b []byte) string {
		sum := sha256.Sum256(b)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return assets{
		page:   template.Must(template.ParseFS(files, "page.html", "feature.html")),
		style:  template.CSS(style),
		script: template.JS(script),
		policy: "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
			"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
	}
}()

// Write writes the page. It fails if statistics are ambiguous, as those with two features
// of one path are, with ErrSides, and with what w fails with.
func Write(w io.Writer, in *Input) error {
	if n := len(in.Sides); n < 1 || n > 2 {
		return fmt.Errorf("%w, got %d", ErrSides, n)
	}
	p, err := newPage(in)
	if err != nil {
		return err
	}
	return parsed.page.ExecuteTemplate(w, "page.html", p)
}

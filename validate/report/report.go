package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

// MaxFeatures is how many features of all slices together are on a page.
const MaxFeatures = 4000

// MaxSides is how many data sets stand side by side on a page.
const MaxSides = 6

// ErrSides means that there is no data set, or more than MaxSides.
var ErrSides = fmt.Errorf("report: wanted 1 to %d data sets", MaxSides)

// A Side is one data set: its statistics and, where there are several in the list, those of
// its slices.
type Side struct {
	Name       string // what it is called on the page; need not be unique
	Size       string // of its files together, as "1.2 MiB"; left out if it is empty
	Statistics *pb.DatasetFeatureStatisticsList

	// Details are those of the statistics, if these were just made of records; they may be nil. With them bars are
	// counted, and distances too; without, both are estimated from the histograms.
	Details *stats.Details
}

// An Input is the content of a page. All but Sides may be left out. Nothing of it is changed
// or kept.
type Input struct {
	Title string // of the page; "Statistics" if it is empty

	// Sides are the data sets that stand side by side, up to MaxSides; distances are those
	// from the first to each other. Their slices are put together by name; where each has
	// only one, by being that.
	Sides []Side

	// Schema is what the features are declared to be.
	Schema *pb.Schema

	// Anomalies are what is wrong with the first data set. Those of slices have the
	// names that anomaly.Options.Slices gives them.
	Anomalies *pb.Anomalies

	// Findings are what else is wrong with the first data set, as in single records.
	Findings []Finding

	// Counts are how many findings there are by feature and rule, exactly, whatever part
	// of them Findings and Anomalies have. The caller sorts them: most findings first.
	Counts []Count

	// Drift says how the distance between data sets is measured. Its Details are not used, but
	// those of Sides.
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

// A Count is how many findings one rule has about one feature.
type Count struct {
	Feature  string // as in Finding; empty for all of the data
	Severity string
	Rule     string
	Findings uint64 // at least 1
	Records  uint64 // number of records that have such findings; 0 if only the data set as a whole has one
}

//go:embed page.html feature.html skew.html page.css page.js
var files embed.FS

// assets are what is the same on all pages.
type assets struct {
	page   *template.Template
	style  template.CSS
	script template.JS
	policy string
	still  string // that of pages without the script
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
		page:   template.Must(template.New("").Funcs(skewFuncs).Funcs(template.FuncMap{"class": func(side int) string { return sideClasses[side] }}).ParseFS(files, "page.html", "feature.html", "skew.html")),
		style:  template.CSS(style),
		script: template.JS(script),
		policy: "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
			"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types tfparse",
		still: "default-src 'none'; style-src " + hash(style) + "; img-src data:; base-uri 'none'; form-action 'none'",
	}
}()

// Write writes the page. It fails if statistics are ambiguous, as those with two features
// of one path are, with ErrSides, and with what w fails with.
func Write(w io.Writer, in *Input) error {
	if n := len(in.Sides); n < 1 || n > MaxSides {
		return fmt.Errorf("%w, got %d", ErrSides, n)
	}
	p, err := newPage(in)
	if err != nil {
		return err
	}
	return parsed.page.ExecuteTemplate(w, "page.html", p)
}

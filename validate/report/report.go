package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

// MaxFeatures is the maximum number of features on a page, in all slices together.
const MaxFeatures = 4000

// MaxSides is the maximum number of data sets on a page.
const MaxSides = 6

// ErrSides means that Input has no data set, or more than MaxSides data sets.
var ErrSides = fmt.Errorf("report: want 1 to %d data sets", MaxSides)

// A Side is a data set: its statistics, and those of its slices.
type Side struct {
	Name       string // name on the page; need not be unique
	Size       string // size of all files, such as "1.2 MiB"; may be empty
	Statistics *pb.DatasetFeatureStatisticsList

	// Details belong to the statistics. They are available if the statistics were just computed
	// from records; they may be nil. With them, bars and distances are counted; without, they are
	// estimated from the histograms.
	Details *stats.Details
}

// An Input is the content of a page. All fields except Sides are optional. Write does not change or
// retain it.
type Input struct {
	Title string // title of the page; "Statistics" if empty

	// Sides are up to MaxSides data sets. Distances are measured from the first side to each other
	// side. Slices are paired by name, or, if every side has only one, regardless of the name.
	Sides []Side

	// Schema declares the features.
	Schema *pb.Schema

	// Anomalies are the anomalies of the first data set. Those of slices are keyed as in
	// anomaly.Options.Slices.
	Anomalies *pb.Anomalies

	// Findings are other problems of the first data set, for example of single records.
	Findings []Finding

	// MaxFindings is the maximum number of findings that are listed for a feature; 0: 30.
	MaxFindings int

	// FaultyOnly hides features without findings at first, if others have some.
	FaultyOnly bool

	// Counts are exact numbers of findings by feature and rule, even if Findings and Anomalies
	// contain only some of them. The caller sorts them: most findings first.
	Counts []Count

	// Drift configures distances between data sets. Its Details are ignored in favour of
	// Side.Details.
	Drift *drift.Options

	Note string // text at the end of the page, such as the command that made it

	// Link returns the relative address of a page with the records of a selection, "" for none. It must not depend on anything else.
	// The default makes no links. Only the statistics of all examples have links.
	Link func(Selection) string

	// Served means that a server sends the page and beside it report.css and report.js, which Asset returns. Such a page has no style and
	// no script inside, as a Content-Security-Policy without hashes demands. Links open in the top frame.
	Served bool

	// Progress is set while more records are being read; nil: the page is complete. See Progress for how the page is updated.
	Progress *Progress
}

// A Progress says how much of the data a page describes, while the server reads the rest. The script of the page requests its
// address with the parameter progress=1, for a Progress in JSON, and loads the page again when that says Done.
type Progress struct {
	Text  string  `json:"text"`  // such as "The first 1,000 records"
	Share float64 `json:"share"` // of all bytes, from 0 to 1
	Done  bool    `json:"done"`  // everything was read
}

// A Finding is a problem of a feature or of the whole data set.
type Finding struct {
	Feature  string // path as text, as in the keys of Anomalies; empty for the whole data set
	Severity string // error or warning
	Rule     string
	Text     string // may begin with a position
	Command  string // command for a shell that prints the record; may be empty
	Link     string // relative address of a page with the record; may be empty
}

// A Count is the number of findings for a feature and a rule.
type Count struct {
	Feature  string // written as in Finding
	Severity string
	Rule     string
	Findings uint64 // at least 1
	Records  uint64 // number of records with such findings; 0 if the finding is about the data set
}

//go:embed page.html feature.html skew.html page.css page.js
var files embed.FS

// pageAssets are the parts that all pages share.
type pageAssets struct {
	page             *template.Template
	style            template.CSS
	script           template.JS
	policy           string // Content-Security-Policy
	scriptlessPolicy string // for pages without the script
	servedPolicy     string // for pages with Input.Served
}

// Asset returns a file beside pages with Input.Served: report.css or report.js. ok is false for other names.
func Asset(name string) (content string, ok bool) {
	switch name {
	case "report.css":
		return string(assets().style), true
	case "report.js":
		return string(assets().script), true
	}
	return "", false
}

// assets parses the assets when the first page is written, since most runs of the command write none.
var assets = sync.OnceValue(func() pageAssets {
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
	return pageAssets{
		page: template.Must(template.New("").Funcs(skewFuncs).Funcs(template.FuncMap{
			"class": func(side int) string { return sideClasses[side] }, "breaks": breakable,
		}).ParseFS(files, "page.html", "feature.html", "skew.html")),
		style:  template.CSS(style),
		script: template.JS(script),
		policy: "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
			"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types tfparse",
		servedPolicy:     "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types tfparse",
		scriptlessPolicy: "default-src 'none'; style-src " + hash(style) + "; img-src data:; base-uri 'none'; form-action 'none'",
	}
})

// Write writes the page to w. It fails if statistics are ambiguous, for example with two features
// of the same path, with ErrSides, or with the error of w.
func Write(w io.Writer, in *Input) error {
	if n := len(in.Sides); n < 1 || n > MaxSides {
		return fmt.Errorf("%w, got %d", ErrSides, n)
	}
	p, err := newPage(in)
	if err != nil {
		return err
	}
	return assets().page.ExecuteTemplate(w, "page.html", p)
}

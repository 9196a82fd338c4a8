package files

import (
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A verifyForm is a format of verify's report.
type verifyForm uint8

const (
	verifyText verifyForm = iota
	verifyJSON
	verifyJUnit  // JUnit XML, for CI systems
	verifyGitHub // annotations of GitHub Actions
)

var verifyForms = []string{"text", "json", "junit", "github"}

// A verifyReport prints the report of verify. The calls are beginReport; beginEntry, addFault for each fault, and endEntry
// or endFile for each file, set and dataset_info.json; endReport. Output is written during the run, since there may be too
// many faults to keep in memory.
type verifyReport struct {
	format    verifyForm
	allFaults bool // --all: print every fault, not only the first of each file
	out       *cli.Output
	hasFile   bool           // beginEntry was called
	cases     []cli.TestCase // for verifyJUnit
}

// A warning is a remark about a file or a set that is not a fault; also its JSON output.
type warning struct {
	File    jsonscan.Name `json:"file"`
	Message string        `json:"message"`
	Feature *featureKinds `json:"feature,omitempty"` // for a warning about different kinds
}

// A verifiedFile is the JSON output for a file or a set, after its name and its faults. Unknown values are nil.
type verifiedFile struct {
	Codec     *string `json:"codec"`
	Type      *string `json:"type"`
	LooksLike *string `json:"looks_like"` // if the type is unknown
	Records   *int64  `json:"records"`
	Bytes     *int64  `json:"bytes"`
	OK        bool    `json:"ok"`
}

func (r *verifyReport) beginReport() {
	if r.format == verifyJSON {
		r.out.Buf = append(r.out.Buf, `{"files":[`...)
	}
}

func (r *verifyReport) beginEntry(name string) {
	switch r.format {
	case verifyJSON:
		if r.hasFile {
			r.out.Buf = append(r.out.Buf, ',')
		}
		r.out.Buf = jsonscan.AppendName(append(r.out.Buf, `{"file":`...), []byte(name))
		r.out.Buf = append(r.out.Buf, `,"faults":[`...)
	case verifyJUnit:
		r.cases = append(r.cases, cli.TestCase{Name: console.OneLine(name), Class: "tfrecord"})
	}
	r.hasFile = true
}

// addFault reports a fault. f.Faults already includes it.
func (r *verifyReport) addFault(f *fileSummary, fault *scan.Fault) error {
	text := fault.Error()
	detail := console.OneLine(strings.TrimPrefix(text, fault.File+": "))
	switch {
	case f.Faults > 1 && !r.allFaults:
	case r.format == verifyText:
		r.out.Line("%s", console.OneLine(text))
	case r.format == verifyGitHub:
		r.out.Buf = cli.AppendGitHub(r.out.Buf, "error", fault.File, fault.Class, detail)
	case r.format == verifyJUnit:
		last := &r.cases[len(r.cases)-1]
		last.Outcomes = append(last.Outcomes, cli.Failure(fault.Class, detail))
	default:
		if f.Faults > 1 {
			r.out.Buf = append(r.out.Buf, ',')
		}
		r.out.Buf = cli.AppendJSON(r.out.Buf, reportOf(fault))
	}
	return r.out.Spill()
}

// endFile ends the entry of a file that was read.
func (r *verifyReport) endFile(f *fileSummary) {
	if r.format == verifyText && f.Faults == 0 {
		of := ""
		switch f.Type {
		case "": // no records
		case unknownType:
			of = " of unknown messages" + scan.InBrackets(f.LooksLike)
		default:
			of = " of " + f.Type
		}
		r.out.Line("%s: ok: %s%s, %s, %s", console.OneLine(string(f.Name)), cli.Plural(f.Records, "record"), of, cli.Plural(f.Bytes, "byte"), f.Codec)
	}
	r.endEntry(f)
}

func (r *verifyReport) endEntry(f *fileSummary) {
	switch {
	case r.format == verifyJSON:
		end := verifiedFile{cli.CodecName(f.Codec), cli.Known(f.Type, f.Type != ""), cli.Known(f.LooksLike, f.LooksLike != ""),
			cli.Known(f.Records, f.Opened), cli.Known(f.Bytes, f.Opened), f.Faults == 0}
		r.out.Buf = append(r.out.Buf, "],"...)
		r.out.Buf = append(r.out.Buf, cli.AppendJSON(nil, end)[len("{"):]...)
	case r.format == verifyText && f.Faults > 1 && !r.allFaults:
		r.out.Line("%s: %s more; --all lists them", console.OneLine(string(f.Name)), cli.Plural(int64(f.Faults-1), "fault"))
	}
}

// endReport ends the report with the warnings and a summary line. In the text format, warnings go to standard error
// instead, and the summary is printed only for several files.
func (r *verifyReport) endReport(passedOver []string, warnings []warning, total string, several bool) {
	switch r.format {
	case verifyJSON:
		r.out.Buf = append(r.out.Buf, ']')
		if names := cli.JSONNames(passedOver); names != nil {
			r.out.Buf = cli.AppendJSON(append(r.out.Buf, `,"passed_over":`...), names)
		}
		if len(warnings) > 0 {
			r.out.Buf = cli.AppendJSON(append(r.out.Buf, `,"warnings":`...), warnings)
		}
		r.out.Buf = append(r.out.Buf, "}\n"...)
	case verifyGitHub:
		for _, w := range warnings {
			r.out.Buf = cli.AppendGitHub(r.out.Buf, "warning", string(w.File), "", w.Message)
		}
		r.out.Line("::notice title=tfparse verify::%s", total)
	case verifyJUnit:
		for _, w := range warnings {
			r.cases = append(r.cases, cli.TestCase{Name: console.OneLine(string(w.File)), Class: "tfrecord", Outcomes: []cli.Outcome{cli.Warned("warning", w.Message)}})
		}
		r.out.Buf = cli.AppendJUnit(r.out.Buf, "tfparse verify", r.cases)
	default:
		if several {
			r.out.Line("%s", total)
		}
	}
}

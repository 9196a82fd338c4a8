package serving

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/model"
)

// maxMismatches limits the records that are listed.
const maxMismatches = 20

// A checkReport is the result of --check, also as JSON.
type checkReport struct {
	Signature string        `json:"signature"`
	Fits      bool          `json:"fits"`
	Inputs    []inputReport `json:"inputs"`

	Records    *int64           `json:"records,omitempty"` // number of records checked
	Unfit      *int64           `json:"misfit_records,omitempty"`
	Mismatches []recordMismatch `json:"misfits,omitempty"`    // the first maxMismatches
	Serialized string           `json:"serialized,omitempty"` // the input fed with encoded records
	Spec       json.RawMessage  `json:"spec,omitempty"`       // the inferred spec, if any

	inputErrors map[string]*model.InputError // by input: the first error about a record
}

// An inputReport is the result for one input of the signature.
type inputReport struct {
	Name    string         `json:"name"`
	Feature *jsonscan.Name `json:"feature,omitempty"` // the feature bound to it; nil: none
	Fits    bool           `json:"fits"`
	Want    string         `json:"want,omitempty"`
	Got     string         `json:"got,omitempty"`

	convertible bool // --convert can convert the values to the dtype of the input
}

// A recordMismatch is a record that cannot be fed, or the records of one request, and the reason.
type recordMismatch struct {
	File    jsonscan.Name `json:"file"`
	Record  int64         `json:"record"`
	Offset  int64         `json:"offset"`
	Records int64         `json:"records"`
	Input   string        `json:"input,omitempty"` // "": the record cannot be parsed
	Want    string        `json:"want,omitempty"`
	Got     string        `json:"got,omitempty"`
	Message string        `json:"message"`

	text string // Message with the position, for the text output
}

// runCheck checks a spec or records against the signature and prints the result.
func (c *modelVerb) runCheck() error {
	r := &checkReport{Signature: c.sig.Name, Inputs: []inputReport{}, inputErrors: map[string]*model.InputError{}}
	err := c.checkData(r)
	columns, wrong := map[string]string{}, map[string]*model.InputError{}
	if c.binding != nil {
		columns = c.binding.Columns()
	}
	for _, err := range cli.Joined(err) {
		bad, ok := errors.AsType[*model.InputError](err)
		if _, isFault := errors.AsType[*scan.Fault](err); isFault || !ok {
			return err
		}
		wrong[bad.Input] = bad
	}
	r.Fits = len(wrong) == 0 && (r.Unfit == nil || *r.Unfit == 0)
	for _, in := range c.sig.Inputs {
		r.addInput(in.Name(), columns, wrong[in.Name()])
	}
	if !r.Fits {
		c.env.Raise(cli.ExitNegative)
	}
	out, err := c.env.Create("", c.checkFile)
	if err != nil {
		return err
	}
	if c.format == cli.FormatJSON {
		out.JSON(r)
	} else {
		r.printText(out)
	}
	return out.Finish(nil)
}

// checkData binds a spec to the signature, or makes requests from records. The error joins an InputError for each
// input without a matching column.
func (c *modelVerb) checkData(r *checkReport) error {
	switch filepath.Ext(c.checkFile) {
	case ".json", ".pbtxt", ".pb":
		if c.spec != "" || c.serialized != "" || c.method != model.Predict {
			return cli.Usagef("--check %s: want records, not a spec, for --spec, --serialized or %v", c.checkFile, c.method)
		}
		return c.bindFile(c.checkFile)
	}
	in, err := c.reading.Expand(c.env, []string{c.checkFile})
	if err != nil {
		return err
	}
	switch {
	case c.method != model.Predict:
	case c.serialized != "":
		err = c.bindSerialized()
	case c.spec != "":
		err = c.bindFile(c.spec)
	default:
		err = c.bindInferred(in, r)
	}
	if err != nil {
		return err
	}
	r.Records, r.Unfit, r.Serialized = new(int64), new(int64), c.serialized
	c.handleMismatch = func(f *scan.Fault) error { r.addMismatch(f); return nil }
	c.emit = func() error {
		if c.method == model.Predict {
			return nil // TensorFlow can call signatures that TensorFlow Serving cannot
		}
		_, err := c.appendGRPC(nil)
		return err
	}
	if err := c.makeRequests(in); err != nil {
		return err
	}
	if *r.Records = c.recordsFed; c.recordsFed == 0 {
		return fmt.Errorf("%s: no records to check", c.checkFile)
	}
	return nil
}

// addInput adds the result for an input.
func (r *checkReport) addInput(name string, columns map[string]string, wrong *model.InputError) {
	i := inputReport{Name: name, Fits: true}
	column, bound := columns[name]
	if wrong != nil {
		i.Fits, i.Want, i.Got, i.convertible = false, wrong.Want, wrong.Got, wrong.Convertible
		if wrong.Got == "" {
			i.Got = strings.TrimPrefix(wrong.Err.Error(), "feature: ")
		}
		column, bound = wrong.Column, wrong.Column != ""
	}
	if bad := r.inputErrors[name]; bad != nil {
		i.Fits, i.Want, i.Got = false, bad.Want, bad.Got
	}
	if bound {
		named := jsonscan.Name(column)
		i.Feature = &named
	}
	r.Inputs = append(r.Inputs, i)
}

// addMismatch adds records that do not fit.
func (r *checkReport) addMismatch(f *scan.Fault) {
	bad, ok := errors.AsType[*model.InputError](f.Err)
	if ok && r.inputErrors[bad.Input] == nil {
		r.inputErrors[bad.Input] = bad
	}
	n := max(f.Records, 1)
	if *r.Unfit += n; len(r.Mismatches) == maxMismatches {
		return
	}
	m := recordMismatch{File: jsonscan.Name(f.File), Record: f.Record, Offset: f.Offset, Records: n, Message: f.Detail(), text: f.Error()}
	if ok {
		m.Input, m.Want, m.Got = bad.Input, bad.Want, bad.Got
	}
	r.Mismatches = append(r.Mismatches, m)
}

// printText writes the text output: the records and inputs that do not fit, and a summary line.
func (r *checkReport) printText(out *cli.Output) {
	named := map[string]bool{} // inputs named in the error of a record
	for _, m := range r.Mismatches {
		named[m.Input] = true
		fmt.Fprintln(out, console.OneLine(m.text))
	}
	for _, i := range r.Inputs {
		if i.Fits || named[i.Name] {
			continue
		}
		fmt.Fprintf(out, "%s: ", console.OneLine(i.Name))
		if i.Feature != nil && string(*i.Feature) != i.Name {
			fmt.Fprintf(out, "feature %s: ", cli.FeatureName(string(*i.Feature)))
		}
		if i.Want != "" {
			fmt.Fprintf(out, "want %s, got ", i.Want)
		}
		fmt.Fprint(out, console.OneLine(i.Got))
		if i.Want != "" && i.Feature == nil {
			fmt.Fprint(out, "; --column names another")
		}
		if i.convertible {
			fmt.Fprint(out, convertHint)
		}
		fmt.Fprintln(out)
	}
	what := cli.Plural(int64(len(r.Inputs)), "input")
	if r.Records != nil {
		what += ", " + cli.Plural(*r.Records, "record")
	}
	switch {
	case r.Fits:
		fmt.Fprintf(out, "%s: %s: ok\n", console.OneLine(r.Signature), what)
	case r.Unfit != nil:
		fmt.Fprintf(out, "%s: %s: %d do not fit\n", console.OneLine(r.Signature), what, *r.Unfit)
	}
}

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

// maxMisfits is how many records that do not fit are named.
const maxMisfits = 20

// checkReport is what --check prints, and its JSON form.
type checkReport struct {
	Signature string        `json:"signature"`
	Fits      bool          `json:"fits"`
	Inputs    []inputReport `json:"inputs"`

	Records    *int64          `json:"records,omitempty"` // that were fed, or would have been
	Unfit      *int64          `json:"misfit_records,omitempty"`
	Misfits    []misfit        `json:"misfits,omitempty"`    // the first ones
	Serialized string          `json:"serialized,omitempty"` // the input that takes the records themselves
	Spec       json.RawMessage `json:"spec,omitempty"`       // if it was inferred

	unfed map[string]*model.InputError // the first error of each input that some record does not fit
}

type inputReport struct {
	Name    string         `json:"name"`
	Feature *jsonscan.Name `json:"feature,omitempty"` // if it is known
	Fits    bool           `json:"fits"`
	Want    string         `json:"want,omitempty"`
	Got     string         `json:"got,omitempty"`

	convertible bool // --convert can make its values the dtype of the input
}

// A misfit is a record, or several that one request would have, and why it cannot be fed.
type misfit struct {
	File    jsonscan.Name `json:"file"`
	Record  int64         `json:"record"`
	Offset  int64         `json:"offset"`
	Records int64         `json:"records"`
	Input   string        `json:"input,omitempty"` // empty: the record cannot be parsed
	Want    string        `json:"want,omitempty"`
	Got     string        `json:"got,omitempty"`
	Message string        `json:"message"`

	text string // the line of the text form: Message and its position
}

// check prints whether a spec or records fit the signature.
func (c *modelVerb) check() error {
	r := &checkReport{Signature: c.sig.Name, Inputs: []inputReport{}, unfed: map[string]*model.InputError{}}
	err := c.feed(r)
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
	out, err := c.env.Create("", c.file)
	if err != nil {
		return err
	}
	if c.format == cli.FormatJSON {
		out.JSON(r)
	} else {
		r.print(out)
	}
	return out.Finish(nil)
}

// feed compares a spec with the signature, or feeds it records. The error joins an InputError for each
// input that has no column that fits.
func (c *modelVerb) feed(r *checkReport) error {
	switch filepath.Ext(c.file) {
	case ".json", ".pbtxt", ".pb":
		if c.spec != "" || c.serialized != "" || c.method != model.Predict {
			return cli.Usagef("--check %s: is a spec; --spec, --serialized and signatures for %v are checked with records", c.file, c.method)
		}
		return c.bindFile(c.file)
	}
	in, err := c.reading.Expand(c.env, []string{c.file})
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
	c.misfit = func(f *scan.Fault) error { r.addMisfit(f); return nil }
	c.emit = func() error {
		if c.method == model.Predict {
			return nil // TensorFlow may call what TensorFlow Serving cannot
		}
		_, err := c.appendGRPC(nil)
		return err
	}
	if err := c.makeRequests(in); err != nil {
		return err
	}
	if *r.Records = c.fed; c.fed == 0 {
		return fmt.Errorf("%s: no records to check", c.file)
	}
	return nil
}

// addInput adds what became of an input.
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
	if bad := r.unfed[name]; bad != nil {
		i.Fits, i.Want, i.Got = false, bad.Want, bad.Got
	}
	if bound {
		named := jsonscan.Name(column)
		i.Feature = &named
	}
	r.Inputs = append(r.Inputs, i)
}

// addMisfit adds records that do not fit.
func (r *checkReport) addMisfit(f *scan.Fault) {
	bad, ok := errors.AsType[*model.InputError](f.Err)
	if ok && r.unfed[bad.Input] == nil {
		r.unfed[bad.Input] = bad
	}
	n := max(f.Records, 1)
	if *r.Unfit += n; len(r.Misfits) == maxMisfits {
		return
	}
	m := misfit{File: jsonscan.Name(f.File), Record: f.Record, Offset: f.Offset, Records: n, Message: f.Detail(), text: f.Error()}
	if ok {
		m.Input, m.Want, m.Got = bad.Input, bad.Want, bad.Got
	}
	r.Misfits = append(r.Misfits, m)
}

// print writes the text form: what does not fit, or that all does.
func (r *checkReport) print(out *cli.Output) {
	named := map[string]bool{} // by a record
	for _, m := range r.Misfits {
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

package serving

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tfrecord"
)

// A feeder makes requests for one signature from records: those of a spec as columns, others as
// they are.
type feeder struct {
	reading    reading.Flags
	signature  string
	spec       string
	serialized string // the input that takes the records themselves
	name       string
	convert    model.Conversion
	outputs    []string // that are asked for; nil: all
	rows       int      // of a request; 0: what the model wants

	env     *cli.Env
	to      model.ModelSpec
	sig     *model.Signature
	call    model.Method
	fixed   bool // the model takes that number of rows, and no other
	parser  *feature.Parser
	binding *model.Binding
	batch   *feature.Batch
	message example.MessageType // of records as they are

	// emit uses the request at hand.
	emit func() error

	n       int               // records of the request at hand
	first   tfrecord.Position // of them
	feeds   []model.Feed
	records [][]byte // as they are
}

// add defines the flags that verbs share which make requests.
func (f *feeder) add(fs *pflag.FlagSet, rows string) {
	reading.SpecVar(fs, &f.spec, "parse the records by `SPEC`: a .json or .pbtxt file")
	fs.StringVar(&f.serialized, "serialized", "", "feed the records themselves, as strings, to the input `NAME`")
	fs.StringVar(&f.signature, "signature", "", "call the signature `NAME` (default serving_default)")
	fs.StringVar(&f.name, "name", "", "the `NAME` of the model in a request (default that of its directory)")
	fs.IntVar(&f.rows, "batch", 0, rows)
	convertVar(fs, &f.convert)
	fs.Var((*cli.NameList)(&f.outputs), "output-filter", "ask for these `OUTPUTS` only, as a,b; may be repeated")
}

// convertVar defines --convert.
func convertVar(fs *pflag.FlagSet, p *model.Conversion) {
	cli.EnumVar(fs, p, "convert", []string{"none", "exact", "round"}, "make values the type of their input, as `HOW`: none, exact or round")
}

// open reads the model and checks that its signature can be called with what the flags name.
func (f *feeder) open(e *cli.Env, saved string) error {
	if f.rows < 0 {
		return cli.Usagef("--batch is not negative")
	}
	m, err := model.Open(saved)
	if err != nil {
		return err
	}
	sig, err := m.Signature(f.signature)
	if err != nil {
		return cli.Usagef("%s", strings.TrimPrefix(err.Error(), "model: "))
	}
	f.env, f.call, f.sig = e, sig.Call(), sig
	if f.outputs != nil && f.call != model.Predict {
		return cli.Usagef("--output-filter: a request of %v has none", f.call)
	}
	if errs := each(sig.CheckServing(f.outputs...)); len(errs) > 0 {
		known := func(name string) bool {
			return slices.ContainsFunc(sig.Outputs, func(t model.TensorSpec) bool { return t.Name() == name })
		}
		if slices.ContainsFunc(f.outputs, func(name string) bool { return !known(name) }) {
			return cli.Usagef("--output-filter: signature %q: %s", sig.Name, problem(sig, errs[len(errs)-1])) // names come last
		}
		return fmt.Errorf("%s: signature %q cannot be served as it is: %s", saved, sig.Name, problem(sig, errs[0]))
	}
	f.to = model.ModelSpec{Name: f.name, Signature: f.signature}
	if f.name == "" {
		f.to.Name = nameOf(saved)
	}
	f.setRows(sig)
	switch {
	case f.call != model.Predict && (f.spec != "" || f.serialized != ""):
		return cli.Usagef("signature %q is for %v, which takes the records themselves: leave out --spec and --serialized", sig.Name, f.call)
	case f.call != model.Predict:
		return nil
	case f.serialized != "" && f.spec != "":
		return cli.Usagef("--serialized feeds the records themselves, and --spec their columns: name one of them")
	case f.serialized != "":
		return f.bindSerialized(sig)
	case f.spec == "":
		return cli.Usagef("want a --spec of the records; or --serialized, if an input of the model takes encoded records")
	}
	if f.parser, err = reading.NewParser(f.spec, nil, nil); err != nil {
		return err
	}
	f.batch = f.parser.NewBatch()
	if f.binding, err = model.Bind(sig, f.parser.Spec(), &model.BindOptions{Convert: f.convert}); err != nil {
		errs := each(err)
		for _, err := range errs[:len(errs)-1] {
			e.Console.Print(fmt.Sprintf("%s: %v", f.spec, err))
		}
		return fmt.Errorf("%s: %w", f.spec, errs[len(errs)-1])
	}
	return nil
}

// setRows sets the number of rows of a request to the one that the model fixes, or else to 1.
func (f *feeder) setRows(sig *model.Signature) {
	for _, in := range sig.Inputs {
		if in.Unknown == "" && len(in.Shape) > 0 && in.Shape[0] > 0 && int64(int32(in.Shape[0])) == in.Shape[0] {
			f.fixed = true
			if f.rows == 0 {
				f.rows = int(in.Shape[0])
			}
			return
		}
	}
	if f.rows == 0 {
		f.rows = 1
	}
}

// nameOf is the name of a model by the place of its directory: NAME, or NAME/VERSION.
func nameOf(saved string) string {
	if abs, err := filepath.Abs(saved); err == nil && !storage.Remote(saved) {
		saved = abs
	}
	if filepath.Base(saved) == model.FileName {
		saved = storage.Dir(saved)
	}
	if base := filepath.Base(saved); strings.Trim(base, "0123456789") == "" {
		saved = storage.Dir(saved)
	}
	return filepath.Base(saved)
}

// bindSerialized finds the input that takes the records themselves.
func (f *feeder) bindSerialized(sig *model.Signature) error {
	var others, names []string
	for _, in := range sig.Inputs {
		c := in.Components[0]
		if names = append(names, in.Name()); in.Name() != f.serialized && (len(in.Components) > 1 || c.Name != f.serialized) {
			if !c.Optional {
				others = append(others, in.Name())
			}
			continue
		}
		if c.DType != model.String || len(in.Components) > 1 || c.Shape != nil && len(c.Shape) != 1 {
			return fmt.Errorf("--serialized %s: want a vector of strings, and the input is %s", f.serialized, in.Type())
		}
		f.feeds = []model.Feed{{Name: c.Name, DType: model.String}}
	}
	switch {
	case f.feeds == nil:
		return cli.Usagef("--serialized %s: signature %q has no such input: it has %q", f.serialized, sig.Name, names)
	case others != nil:
		return fmt.Errorf("--serialized %s: signature %q wants other inputs too: %q", f.serialized, sig.Name, others)
	}
	return nil
}

// walk makes requests of the records.
func (f *feeder) walk(in []recordscan.Input) error {
	var v recordscan.Visitor = f
	if f.parser == nil {
		v = recordscan.Guess(example.TypeAuto, f)
	}
	err := f.reading.Walk(f.env, in, nil, v)
	switch {
	case err != nil || f.n == 0:
		return err
	case f.fixed && f.n < f.rows:
		f.env.Console.Print(fmt.Sprintf("records left out at the end: %d; the model takes %d rows at a time", f.n, f.rows))
		return nil
	}
	if err := f.request(); !errors.Is(err, recordscan.ErrStop) {
		return err
	}
	return nil
}

func (f *feeder) Begin(*recordscan.File) error { return nil }

func (f *feeder) End(*recordscan.File) error { return nil }

func (f *feeder) Skipped(fault *recordscan.Fault) error { return f.reading.Fault(f.env, fault) }

// Type is called for records as they are.
func (f *feeder) Type(t example.MessageType) error {
	switch {
	case f.message != example.TypeAuto && f.message != t:
		return reading.MixedTypes(f.message, t, "a request is of one")
	case f.call != model.Predict && t != example.TypeExample && t != example.TypeExampleList:
		return fmt.Errorf("%v takes Examples, or an ExampleListWithContext, and the records are of type %s", f.call, t)
	case f.call != model.Predict && t == example.TypeExampleList && f.rows != 1:
		return cli.Usagef("--batch: a request of %v holds one ExampleListWithContext", f.call)
	}
	f.message = t
	return nil
}

func (f *feeder) Record(rec []byte, pos tfrecord.Position) error {
	var err error
	switch {
	case f.parser != nil:
		err = explain.AppendRecord(f.batch, rec)
	case f.message == example.TypeExample:
		err = example.Validate(rec)
	}
	if err != nil {
		return f.Skipped(recordscan.Misfit(pos, err))
	}
	if f.parser == nil {
		f.records = append(f.records, bytes.Clone(rec))
	}
	if f.n == 0 {
		f.first = pos
	}
	if f.n++; f.n < f.rows {
		return nil
	}
	return f.request()
}

// request makes a request of the records at hand, and begins the next one.
func (f *feeder) request() error {
	err := f.fill()
	if err == nil {
		err = f.emit()
	}
	n := f.n
	f.n, f.records = 0, f.records[:0]
	if f.batch != nil {
		f.batch.Reset()
	}
	if errors.Is(err, model.ErrFit) || errors.Is(err, model.ErrRequest) {
		if n > 1 {
			err = fmt.Errorf("a request of %d records from this one on: %w", n, err)
		}
		fault := recordscan.Misfit(f.first, err)
		fault.Records = int64(n)
		return f.Skipped(fault)
	}
	return err
}

// fill makes the feeds.
func (f *feeder) fill() (err error) {
	switch {
	case f.binding != nil:
		f.feeds, err = f.binding.Feeds(f.feeds[:0], f.batch)
	case f.serialized != "":
		feed := &f.feeds[0]
		feed.Strings, feed.Shape = feed.Strings[:0], []int64{int64(len(f.records))}
		for _, rec := range f.records {
			feed.Strings = append(feed.Strings, string(rec))
		}
	}
	return err
}

// checkREST returns an error if the inputs lack one that has a default in the signature: over REST Serving does
// not use it.
func (f *feeder) checkREST() error {
	if f.call != model.Predict {
		return nil
	}
	columns := map[string]string{}
	if f.binding != nil {
		columns = f.binding.Columns()
	}
	for _, in := range f.sig.Inputs {
		if _, ok := columns[in.Name()]; !ok && (f.binding != nil || in.Components[0].Name != f.feeds[0].Name) {
			return fmt.Errorf("input %q has a default, which TensorFlow Serving does not use over REST: want a feature for it", in.Name())
		}
	}
	return nil
}

// appendREST appends the request at hand as a call over REST has it.
func (f *feeder) appendREST(dst []byte) ([]byte, error) {
	switch {
	case f.call == model.Predict:
		return model.AppendRESTRequest(dst, f.to, f.feeds)
	case f.message == example.TypeExampleList:
		return model.AppendRESTExampleListRequest(dst, f.to, f.records[0])
	}
	return model.AppendRESTExamplesRequest(dst, f.to, f.records...)
}

// appendGRPC appends the request at hand as a call over gRPC has it.
func (f *feeder) appendGRPC(dst []byte) ([]byte, error) {
	switch {
	case f.call == model.Predict:
		return model.AppendPredictRequest(dst, f.to, f.feeds, f.outputs...)
	case f.message == example.TypeExampleList:
		return model.AppendExampleListRequest(dst, f.to, f.records[0])
	}
	return model.AppendExamplesRequest(dst, f.to, f.records...)
}

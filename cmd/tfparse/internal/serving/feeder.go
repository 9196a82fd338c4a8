package serving

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/nearest"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
	"github.com/tfparse/tfparse/tfrecord"
)

// A feeder makes requests for one signature from records: from their columns, or from the encoded records. It is used
// in this order:
//
//  1. setSignature checks the flags against a signature.
//  2. bindFile, bindSerialized or bindInferred binds the inputs to columns or records. Signatures for classification
//     and regression take encoded records, so they skip this step.
//  3. makeRequests reads the records. addRecord adds each to the current request; endRequest sets the tensors of the
//     current request, calls emit, and begins the next request.
type feeder struct {
	feederOptions

	env       *cli.Env         // set by setSignature
	sig       *model.Signature // points into the model; set by setSignature
	modelSpec model.ModelSpec  // model and signature in requests

	// Set by setSignature.
	method      model.Method      // the method of sig
	fixedRows   bool              // the first dimension of an input is fixed, so requests must have batchSize records
	bindOptions model.BindOptions // from the flags

	// Set by bindFile and bindInferred. All are nil if encoded records are fed.
	parser  *feature.Parser // for the spec
	binding *model.Binding  // of the columns to the inputs
	batch   *feature.Batch  // the parsed records of the current request

	message example.MessageType // of the records; TypeAuto: there are none

	// emit is called with each complete request, to write or send it. It may return scan.ErrStop to stop reading.
	emit func() error
	// handleMismatch receives records that do not fit the spec or the signature; nil: they are faults of the input.
	handleMismatch func(*scan.Fault) error

	recordsFed    int64             // records read, including those that do not fit, but not those left out at the end
	pending       int               // records in the current request
	firstPosition tfrecord.Position // of the first of these records
	hasRequest    bool              // endRequest was called
	// feeds are the tensors of the current request. Their memory is reused.
	feeds   []model.Feed
	records [][]byte // copies of the records of the current request, if encoded records are fed
}

// feederOptions are the flags of a feeder.
type feederOptions struct {
	reading    scan.Flags       // flags that read files
	signature  string           // --signature; "": serving_default
	spec       string           // file of --spec; "": none
	serialized string           // the input to feed encoded records to; "": none
	columns    []string         // values of --column: INPUT=FEATURE
	modelName  string           // of the model in requests; "": the name of its directory
	convert    model.Conversion // --convert: conversion of values to the dtypes of inputs
	outputs    []string         // requested outputs; nil: all
	batchSize  int              // records of a request; 0: the fixed size of the model, or else 1
}

// addInputs defines the flags for feeding the inputs.
func (f *feeder) addInputs(fs *pflag.FlagSet, signature string) {
	scan.SpecVar(fs, &f.spec, "parse the records by `SPEC`, a .json or .pbtxt file")
	fs.StringVar(&f.serialized, "serialized", "", "feed the records themselves to the input `NAME`")
	fs.StringArrayVar(&f.columns, "column", nil, "feature for an input, `INPUT=FEATURE`; repeatable")
	fs.StringVar(&f.signature, "signature", "", signature)
	cli.EnumVar(fs, &f.convert, "convert", []string{"none", "exact", "round"}, "convert to the dtype, `HOW`: none, exact or round")
	f.reading.Add(fs)
	f.reading.Rules(fs, scan.Excludes("serialized", "spec", "column"))
}

// addRequests defines the flags of verbs that write requests.
func (f *feeder) addRequests(fs *pflag.FlagSet, rows string) {
	f.addInputs(fs, "call the signature `NAME` [serving_default]")
	fs.StringVar(&f.modelName, "model-name", "", "`NAME` of the model in a request [its directory]")
	cli.NumberVar(fs, &f.batchSize, "batch", 0, 0, rows)
	fs.Var((*cli.NameList)(&f.outputs), "output-filter", "ask for these `OUTPUTS` only, as a,b; repeatable")
}

// openSignature opens the model, sets the signature, and binds its inputs by the flags.
func (f *feeder) openSignature(e *cli.Env, saved string) error {
	m, err := openModel(saved)
	if err != nil {
		return err
	}
	sig, err := signatureOf(m, f.signature)
	if err != nil {
		return err
	}
	if f.outputs != nil && sig.Call() != model.Predict {
		return cli.Usagef("--output-filter: requests for %v have none", sig.Call())
	}
	if errs := cli.Joined(sig.CheckServing(f.outputs...)); len(errs) > 0 {
		known := func(name string) bool {
			return slices.ContainsFunc(sig.Outputs, func(t model.TensorSpec) bool { return t.Name() == name })
		}
		if slices.ContainsFunc(f.outputs, func(name string) bool { return !known(name) }) {
			return cli.Usagef("--output-filter: signature %q: %s", sig.Name, problemText(sig, errs[len(errs)-1])) // names come last
		}
		return fmt.Errorf("%s: signature %q cannot be served as it is: %s", saved, sig.Name, problemText(sig, errs[0]))
	}
	f.modelSpec = model.ModelSpec{Name: f.modelName, Signature: f.signature}
	if f.modelName == "" {
		f.modelSpec.Name = modelNameOf(saved)
	}
	if err := f.setSignature(e, sig); err != nil {
		return err
	}
	switch {
	case f.method != model.Predict:
		return nil
	case f.serialized != "":
		return f.bindSerialized()
	case f.spec == "":
		return cli.Usagef("want --spec, or --serialized if an input takes encoded records")
	}
	if err = f.bindFile(f.spec); err == nil {
		return nil
	}
	if _, ok := errors.AsType[*model.InputError](err); !ok {
		return err
	}
	errs := cli.Joined(err)
	for i, err := range errs {
		hint := ""
		if bad, ok := errors.AsType[*model.InputError](err); ok && bad.Convertible {
			hint = convertHint
		}
		errs[i] = fmt.Errorf("%s: %w%s", f.spec, err, hint)
	}
	for _, err := range errs[:len(errs)-1] {
		e.Console.Print(err.Error())
	}
	return errs[len(errs)-1]
}

// convertHint is added to an error about values that can be converted.
const convertHint = "; --convert says how"

// openModel opens the model named by an argument.
func openModel(name string) (*model.Model, error) {
	if name == scan.Stdin {
		return nil, cli.Usagef("MODEL: want a directory or a %s, not standard input", model.FileName)
	}
	m, err := model.Open(name)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, scan.Named(name, err)
	}
	return m, err
}

// signatureOf returns the signature with the name.
func signatureOf(m *model.Model, name string) (*model.Signature, error) {
	sig, err := m.Signature(name)
	if err != nil {
		return nil, cli.Usagef("%s", strings.TrimPrefix(err.Error(), "model: "))
	}
	return sig, nil
}

// setSignature sets the signature, and checks the flags for feeding it.
func (f *feeder) setSignature(e *cli.Env, sig *model.Signature) error {
	if err := f.reading.CheckRules(); err != nil {
		return err
	}
	f.env, f.sig, f.method = e, sig, sig.Call()
	f.setRows()
	f.bindOptions = model.BindOptions{Convert: f.convert, Columns: map[string]string{}}
	for _, text := range f.columns {
		i := strings.IndexByte(text, '=')
		for _, in := range sig.Inputs { // the name of an input may contain "="
			if strings.HasPrefix(text, in.Name()+"=") {
				i = len(in.Name())
			}
		}
		if i < 0 {
			return cli.Usagef("--column %s: want INPUT=FEATURE", text)
		}
		if !slices.ContainsFunc(sig.Inputs, func(in model.TensorSpec) bool { return in.Name() == text[:i] }) {
			return cli.Usagef("--column: %q: no such input in the signature", text[:i])
		}
		column, err := jsonscan.ParseName(text[i+1:])
		if err != nil {
			return cli.Usagef("--column %s: %v", text, err)
		}
		if _, ok := f.bindOptions.Columns[text[:i]]; ok {
			return cli.Usagef("--column names the input %q twice", text[:i])
		}
		f.bindOptions.Columns[text[:i]] = column
	}
	switch records := f.method != model.Predict; {
	case records && (f.spec != "" || f.serialized != "" || f.columns != nil):
		return cli.Usagef("signature %q (%v) takes encoded records: leave out --spec, --column and --serialized", sig.Name, f.method)
	}
	return nil
}

// bindFile binds the columns of the spec in a file.
func (f *feeder) bindFile(name string) error {
	parser, err := scan.NewParser(name, nil, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, features := range parser.Spec().Groups() {
		names = slices.AppendSeq(names, maps.Keys(features))
	}
	for _, input := range slices.Sorted(maps.Keys(f.bindOptions.Columns)) {
		if column := f.bindOptions.Columns[input]; !slices.Contains(names, column) {
			return cli.Usagef("--column: the spec has no feature %q%s", column, nearest.Question(column, names))
		}
	}
	return f.bindParser(parser)
}

// bindParser binds the columns of a parser.
func (f *feeder) bindParser(parser *feature.Parser) (err error) {
	f.parser, f.batch = parser, parser.NewBatch()
	f.binding, err = model.Bind(f.sig, parser.Spec(), &f.bindOptions)
	return err
}

// setRows sets the default of batchSize: the fixed first dimension of an input, or else 1.
func (f *feeder) setRows() {
	for _, in := range f.sig.Inputs {
		if in.Unknown == "" && len(in.Shape) > 0 && in.Shape[0] > 0 && int64(int32(in.Shape[0])) == in.Shape[0] {
			f.fixedRows = true
			if f.batchSize == 0 {
				f.batchSize = int(in.Shape[0])
			}
			return
		}
	}
	if f.batchSize == 0 {
		f.batchSize = 1
	}
}

// modelNameOf returns the name of a model from the path of its directory: NAME or NAME/VERSION.
func modelNameOf(saved string) string {
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

// bindSerialized binds the encoded records to the input of --serialized.
func (f *feeder) bindSerialized() error {
	var others, names []string
	for _, in := range f.sig.Inputs {
		c := in.Components[0]
		if names = append(names, in.Name()); in.Name() != f.serialized && (len(in.Components) > 1 || c.Name != f.serialized) {
			if !c.Optional {
				others = append(others, in.Name())
			}
			continue
		}
		if c.DType != tensor.String || len(in.Components) > 1 || c.Shape != nil && len(c.Shape) != 1 {
			return fmt.Errorf("--serialized %s: want a vector of strings, got %s", f.serialized, in.Type())
		}
		f.feeds = []model.Feed{{Name: c.Name, DType: tensor.String}}
	}
	switch {
	case f.feeds == nil:
		return cli.Usagef("--serialized %s: signature %q has no such input: it has %q", f.serialized, f.sig.Name, names)
	case others != nil:
		return fmt.Errorf("--serialized %s: signature %q wants other inputs too: %q", f.serialized, f.sig.Name, others)
	}
	return nil
}

// makeRequests reads the records and makes requests from them.
func (f *feeder) makeRequests(in []scan.Input) error {
	opts := &scan.Options{OneType: "a request is of one"}
	if f.parser != nil {
		opts.Type, opts.Spec = f.parser.Message(), true
	}
	src, err := f.reading.Open(f.env, in, opts)
	if err != nil {
		return err
	}
	defer src.Close()
	if f.message = src.Type; f.parser == nil && f.message != example.TypeAuto {
		if err := f.checkType(f.message); err != nil {
			return err
		}
	}
	switch err := src.Each(f.addRecord); {
	case err != nil || f.pending == 0:
		return err
	case f.fixedRows && f.pending < f.batchSize && f.hasRequest:
		f.env.Console.Print(fmt.Sprintf("records left out at the end: %d; the model takes %d rows at a time", f.pending, f.batchSize))
		f.recordsFed -= int64(f.pending)
		return nil
	}
	if err := f.endRequest(); !errors.Is(err, scan.ErrStop) {
		return err
	}
	return nil
}

// checkType rejects a message type that the signature does not take as encoded records.
func (f *feeder) checkType(t example.MessageType) error {
	switch {
	case f.method != model.Predict && t != example.TypeExample && t != example.TypeExampleList:
		return fmt.Errorf("%v takes Examples or an ExampleListWithContext, got records of type %s", f.method, t)
	case f.method != model.Predict && t == example.TypeExampleList && f.batchSize != 1:
		return cli.Usagef("--batch must be 1 for %v requests with ExampleListWithContext records", f.method)
	}
	return nil
}

// addRecord adds a record to the current request.
func (f *feeder) addRecord(rec scan.Record) error {
	var err error
	f.recordsFed++
	switch {
	case f.parser != nil:
		err = explain.AppendRecord(f.batch, rec.Bytes)
	case f.message == example.TypeExample:
		err = example.TypeExample.Validate(rec.Bytes)
	}
	if err != nil {
		return f.refuseRecords(rec.Position, err, 1)
	}
	if f.parser == nil {
		f.records = append(f.records, bytes.Clone(rec.Bytes))
	}
	if f.pending == 0 {
		f.firstPosition = rec.Position
	}
	if f.pending++; f.pending < f.batchSize {
		return nil
	}
	return f.endRequest()
}

// endRequest calls emit for the current request, and begins the next one.
func (f *feeder) endRequest() error {
	err := f.makeFeeds()
	if err == nil {
		err = f.emit()
	}
	n := f.pending
	f.pending, f.hasRequest, f.records = 0, true, f.records[:0]
	if f.batch != nil {
		f.batch.Reset()
	}
	if errors.Is(err, model.ErrFit) || errors.Is(err, model.ErrRequest) {
		if n > 1 {
			err = fmt.Errorf("request of %d records from this one on: %w", n, err)
		}
		return f.refuseRecords(f.firstPosition, err, n)
	}
	return err
}

// refuseRecords handles records that do not fit the spec or the signature.
func (f *feeder) refuseRecords(first tfrecord.Position, err error, records int) error {
	fault := scan.Misfit(first, err)
	if fault.Records = int64(records); f.handleMismatch != nil {
		return f.handleMismatch(fault)
	}
	return f.reading.Fault(f.env, fault)
}

// makeFeeds sets the tensors of the current request.
func (f *feeder) makeFeeds() (err error) {
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

// checkREST returns an error if an input with a default in the signature is not fed: over REST, TensorFlow Serving
// does not apply defaults.
func (f *feeder) checkREST() error {
	if f.method != model.Predict {
		return nil
	}
	columns := map[string]string{}
	if f.binding != nil {
		columns = f.binding.Columns()
	}
	for _, in := range f.sig.Inputs {
		if _, ok := columns[in.Name()]; !ok && (f.binding != nil || in.Components[0].Name != f.feeds[0].Name) {
			return fmt.Errorf("input %q: want a feature; TensorFlow Serving ignores its default over REST", in.Name())
		}
	}
	return nil
}

// appendREST appends the body of the current request for REST.
func (f *feeder) appendREST(dst []byte) ([]byte, error) {
	switch {
	case f.method == model.Predict:
		return model.AppendRESTRequest(dst, f.modelSpec, f.feeds)
	case f.message == example.TypeExampleList:
		return model.AppendRESTExampleListRequest(dst, f.modelSpec, f.records[0])
	}
	return model.AppendRESTExamplesRequest(dst, f.modelSpec, f.records...)
}

// appendGRPC appends the message of the current request for gRPC.
func (f *feeder) appendGRPC(dst []byte) ([]byte, error) {
	switch {
	case f.method == model.Predict:
		return model.AppendPredictRequest(dst, f.modelSpec, f.feeds, f.outputs...)
	case f.message == example.TypeExampleList:
		return model.AppendExampleListRequest(dst, f.modelSpec, f.records[0])
	}
	return model.AppendExamplesRequest(dst, f.modelSpec, f.records...)
}

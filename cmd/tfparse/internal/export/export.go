package export

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/explain"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/columnfile"
)

// Command returns the verb export.
func Command() *cli.Command {
	x := &export{}
	return &cli.Command{Name: "export", Flags: x.addFlags, Run: x.run}
}

// export is one run of the verb. Workers parse and encode batches of records. The goroutine of run reads the records, and
// writes the encoded batches in their order.
type export struct {
	reading    scan.Flags          // which files and records are read
	filter     scan.FeatureFilter  // --select and --drop
	typ        example.MessageType // --type; TypeAuto: detected, or the type of the spec
	spec       string              // --spec; "": none
	output     string              // -o
	to         formatName          // --to; byName: the extension of -o decides
	utf8       cli.NameList        // --utf8: patterns of features that are text; empty: the records decide
	image      cli.NameList        // --image: patterns of features that are encoded images
	labels     scan.LabelForm      // --labels
	shuffle    bool                // --shuffle
	seed       uint64              // --seed
	resume     position            // --resume; zero: the first record
	stream     bool                // whether the format is an Arrow stream
	slots      uint                // --slots: file descriptor; 0: none
	allowEmpty bool                // --allow-empty

	env     *cli.Env                // of the command line
	in      []scan.Input            // the inputs, in order
	parser  *feature.Parser         // parser of the rows; nil: the format encodes records
	kinds   map[string]example.Kind // without a spec: the kinds of the columns; nil for lines
	text    []string                // without a spec: the string features whose values are all UTF-8
	columns renderings              // with a features.json: what it says about columns beyond the spec
	printed map[string]string       // with a features.json: other names of columns, by name
	search  *scan.FeatureSearch     // features of the spec, which no record may have; nil without a spec
	format  format                  // encodes parts
	src     *scan.Source            // the records
	out     *cli.OutputSet          // the files of -o
	writers []fileWriter            // one for each file of out
	rows    int64                   // number of rows written so far
}

func (x *export) addFlags(fs *pflag.FlagSet) {
	cli.OutputVar(fs, &x.output, "write to `OUT`; - is standard output")
	cli.ChoiceVar(fs, &x.to, "to", formatNames, "write `FORMAT`: auto (by the name of OUT), "+cli.OneOf(formatNames[1:]))
	scan.SpecVar(fs, &x.spec, "write the columns of `SPEC`: .json, .pbtxt or auto")
	x.filter.Add(fs, "write")
	cli.FeaturesVar(fs, &x.utf8, "utf8", "parquet, arrow: the strings of `FEATURES` are text, as a,b*,-c [as in the first records]")
	cli.FeaturesVar(fs, &x.image, "image", "parquet, arrow: write `FEATURES` as images of Hugging Face's datasets")
	scan.LabelsVar(fs, &x.labels)
	fs.BoolVar(&x.shuffle, "shuffle", false, "write the records of all files in a random order")
	fs.Uint64Var(&x.seed, "seed", 0, "with --shuffle: the same `N` gives the same order")
	fs.TextVar(&x.resume, "resume", x.resume, "begin at `POSITION`, the tfparse:next of a batch of .arrows")
	fs.UintVar(&x.slots, "slots", 0, "for programs: write the batches of .arrows to slots of file descriptor `FD`")
	cli.AllowEmptyVar(fs, &x.allowEmpty)
	scan.TypeVar(fs, &x.typ)
	x.reading.Add(fs)
	x.reading.AddSelection(fs)
	x.reading.AddShard(fs)
	x.reading.Rules(fs, scan.Needs("seed", "shuffle"), scan.Excludes("resume", "skip"))
	x.reading.RecordShards = func(files int) bool { return x.shuffle || files < x.reading.Shard().Count }
}

func (x *export) run(e *cli.Env, args []string) error {
	x.env = e
	if x.output == "" {
		return cli.Usagef("no output; name it with -o (- is standard output)")
	}
	to, err := x.outputFormat()
	if err != nil {
		return err
	}
	if x.slots > 0 && slices.Contains(args, cli.Stdin) {
		return cli.Usagef("--slots: standard input has the free slots, not records")
	}
	if !cli.IsFile(x.output) && !to.isText() && console.IsTerminal(e.Stdout) {
		return cli.Usagef("cannot write %s to a terminal; name a file with -o", to)
	}
	if _, err := x.filter.List(nil); err != nil {
		return err
	}
	if x.labels == scan.LabelNames && x.spec == "" {
		x.spec = "auto"
	}
	if x.spec, err = scan.AutoSpec(e, x.spec, args); err != nil {
		return err
	}
	if x.spec != "" {
		// Rows are not padded, and a batch lives as long as its records.
		x.parser, err = scan.NewParser(x.spec, &x.filter, &feature.ParserOptions{MaxPadded: math.MaxInt, AliasRecords: true})
		if err == nil {
			err = scan.CheckType(x.typ, x.parser)
		}
		if err == nil {
			x.columns, err = scan.Renderings(e, x.spec, x.parser, x.labels, true)
		}
		if err == nil {
			x.printed, err = scan.PrintedNames(x.spec)
		}
		if err != nil {
			return err
		}
	}
	if x.in, err = x.reading.ExpandRecords(e, args); err != nil {
		return err
	}
	if x.resume.file >= max(len(x.in), 1) {
		return cli.Usagef("--resume %s: only %s to read", x.resume, cli.Plural(int64(len(x.in)), "file"))
	}
	x.reading.Printing = to.isText() && !cli.IsFile(x.output)
	if x.out, err = e.CreateSet(x.output, scan.Names(x.in)); err != nil {
		return err
	}
	defer e.Heap.Gather()() // the heap is some batches, which become garbage soon
	return x.out.Finish(x.write(to))
}

// partial reports whether the export does not begin with the first record of all inputs.
func (x *export) partial() bool {
	return x.shuffle || x.reading.Shard().Count > 0 || x.resume != position{}
}

// write writes the files in the format to.
func (x *export) write(to formatName) error {
	opts := &scan.Options{Type: x.typ, FeatureSearch: scan.NewFeatureSearch("--select"), Features: to != toLines}
	if x.shuffle {
		opts.Order = scan.Shuffle(x.seed)
	}
	if shard := x.reading.Shard(); shard.Count > 0 && x.reading.RecordShards(len(x.reading.AllInputs)) {
		opts.Order = opts.Order.ShardRecords(shard)
	}
	if to != toLines && to != toCSV {
		opts.BatchBytes = columnBytes
	}
	var selected []string
	switch {
	case x.parser != nil:
		opts.Type, opts.Spec = x.parser.Message(), true
		x.search = searchSpec(x.parser.Spec())
	default:
		list, err := x.reading.FilterFeatures(x.env, x.in, &x.filter)
		if err != nil {
			return err
		}
		opts.FeatureSearch.AddList(list)
		if list != nil {
			selected = list.Texts
		}
		if to == toLines {
			break
		}
		opts.OneType = "columns are of one"
		if err := x.findKinds(opts, list, to < toColumns); err != nil {
			return err
		}
	}
	if x.shuffle {
		opts.Order = opts.Order.StartAt(x.resume.record)
	} else {
		x.in = x.resume.rest(x.in)
	}
	var err error
	if x.src, err = x.reading.Open(x.env, x.in, opts); err != nil {
		return err
	}
	defer x.src.Close()
	if x.format, err = x.newFormat(to, selected); err != nil {
		return err
	}
	for _, out := range x.out.Outputs {
		w, err := x.format.newWriter(out)
		if err != nil {
			return err
		}
		x.writers = append(x.writers, w)
	}
	workers := min(runtime.GOMAXPROCS(0), scan.Workers)
	err = scan.Map(x.src, workers, x.newWorker, x.writeBatch)
	if err == nil {
		err = x.src.MissingFeatures(false)
	}
	if err == nil && !x.partial() {
		for _, text := range x.search.Texts() {
			x.env.Console.Print(text)
		}
	}
	if err == nil && x.rows == 0 && !x.allowEmpty {
		err = x.refuseEmpty()
	}
	for _, w := range x.writers {
		if err == nil {
			err = w.close()
		}
	}
	return err
}

// refuseEmpty returns an error for an output without rows, unless the input files have no records.
func (x *export) refuseEmpty() error {
	switch {
	case x.src.Read == 0 && slices.ContainsFunc(x.in, scan.Input.Regular):
		return nil
	case x.src.Read == 0:
		return cli.RefuseEmpty(x.output, cli.EmptyPipe)
	case x.reading.Where != "":
		return cli.RefuseEmpty(x.output, "no record matches")
	}
	return cli.RefuseEmpty(x.output, "no record became a row")
}

// Sizes of batches, in bytes.
const (
	columnBytes = 512 << 10 // records in a batch of a format with columns
	rowsBytes   = 2 << 20   // rows in a batch: a short record may have a large row
)

// part is the rows of a batch that go to one file.
type part struct {
	records [][]byte        // records of the rows: views of the batch
	rows    *feature.Batch  // the parsed records; nil without a parser
	size    int             // bytes of rows
	text    []byte          // rows as text: JSON lines and CSV
	columns columnfile.Rows // encoded rows of a registered format
	present [][]byte        // .npz without a spec: for each column and row 1 if the record has the feature, else 0
	err     error           // error of the encoder that is not about one row
}

// result is the rows of a batch of records.
type result struct {
	parts []part // row i is in part i modulo the number of parts
	rows  []int  // index in the batch of the record of each row
}

type batch = scan.Batch[result]

// format encodes and writes rows. It is safe for concurrent use.
type format interface {
	// newEncoder returns a function that encodes parts, for one goroutine. It calls refuse for each row that cannot be
	// encoded. The caller then calls it again for the part without these rows.
	newEncoder(t example.MessageType) func(p *part, refuse func(row int, err error)) error
	// newWriter begins a file.
	newWriter(*cli.Output) (fileWriter, error)
}

// fileWriter writes the parts of one file.
type fileWriter interface {
	// write writes a part. next is the position of the record after it. Every error ends the export, even one about a row.
	write(p *part, next string) error
	// close completes the file. It is not called after an error.
	close() error
}

// newWorker returns a function that parses and encodes batches. It repeats both without the refused rows, until none is
// refused.
func (x *export) newWorker(t example.MessageType) func(*batch) {
	encode := x.format.newEncoder(t)
	return func(b *batch) {
		for i := b.Next; i < len(b.Records) && x.search.Missing(); i++ {
			x.search.Look(t, b.Records[i].Bytes)
		}
		first, refused := b.Next, map[int]error{} // by the index of the record
		for again := true; again; {
			again = false
			x.parse(b, first, refused)
			for i := range b.Result.parts {
				p := &b.Result.parts[i]
				p.err = encode(p, func(row int, err error) {
					refused[b.Result.rows[row*len(x.writers)+i]] = err
					again = true
				})
			}
		}
	}
}

// parse fills the parts of a batch with its records from first on, except refused ones, up to rowsBytes. b.Next is the
// first record that is left for the next call.
func (x *export) parse(b *batch, first int, refused map[int]error) {
	r := &b.Result
	if r.parts == nil {
		r.parts = make([]part, len(x.writers))
	}
	for i := range r.parts {
		p := &r.parts[i]
		if p.records, p.size = p.records[:0], 0; p.rows != nil {
			p.rows.Reset()
		} else if x.parser != nil {
			p.rows = x.parser.NewBatch()
		}
	}
	r.rows, b.Misfits = r.rows[:0], b.Misfits[:0]
	size := 0 // bytes of the rows of all parts
	for b.Next = first; b.Next < len(b.Records) && size < rowsBytes; b.Next++ {
		rec := &b.Records[b.Next]
		p := &r.parts[len(r.rows)%len(r.parts)]
		err := cmp.Or(rec.Err, refused[b.Next])
		if err == nil && p.rows != nil {
			err = explain.AppendRecord(p.rows, rec.Bytes)
			now := p.rows.Size()
			size, p.size = size+now-p.size, now
		}
		if err == nil {
			p.records, r.rows = append(p.records, rec.Bytes), append(r.rows, b.Next)
			continue
		}
		b.Refuse(len(r.rows), rec, err)
		if x.reading.OnError == cli.Stop {
			b.Next++
			return // --on-error stop: the records after it are not written
		}
	}
}

// writeBatch writes the parts of a batch: row n of the export goes to file n modulo their number.
func (x *export) writeBatch(b *batch) error {
	if b.Next == 0 { // the last batch, if no record remains for it
		return nil
	}
	last := &b.Records[b.Next-1]
	next := position{x.resume.file + b.File, last.Record + 1}
	if x.shuffle {
		next = position{0, x.resume.record + last.Ordinal + 1}
	}
	for i := range b.Result.parts {
		p := &b.Result.parts[i]
		if len(p.records) == 0 {
			continue
		}
		err := p.err
		if err == nil {
			err = x.writers[(x.rows+int64(i))%int64(len(x.writers))].write(p, next.String())
		}
		if bad, ok := errors.AsType[*columnfile.RowError](err); ok && bad.Row >= 0 {
			return scan.Misfit(b.Records[b.Result.rows[bad.Row*len(x.writers)+i]].Position, err)
		}
		if err != nil {
			return err
		}
	}
	x.rows += int64(len(b.Result.rows))
	return x.src.Report(b.Misfits)
}

// formatName is the value of --to.
type formatName uint8

const (
	byName formatName = iota // the extension of the output decides
	toLines
	toCSV
	toNPZ
	toColumns // first of the registered formats, which have the order of columnfile.Names
)

// formatNames has the values of --to by formatName.
var formatNames = slices.Concat([]string{"auto", "jsonl", "csv", "npz"}, columnfile.Names)

func (f formatName) String() string { return formatNames[f] }

// isText reports whether a format may be printed to a terminal.
func (f formatName) isText() bool { return f == toLines || f == toCSV }

// formatOf returns the format of a file by its extension; byName if no format has it.
func formatOf(name string) formatName {
	ext := strings.TrimPrefix(cli.LowerExt(cli.WithoutShard(name)), ".")
	if ext == "ndjson" || ext == "json" {
		return toLines
	}
	return formatName(max(slices.Index(formatNames[1:], ext)+1, 0))
}

// outputFormat returns the format of the output, from --to or the extension. A format that this build lacks is an error.
func (x *export) outputFormat() (formatName, error) {
	named := byName
	if cli.IsFile(x.output) {
		named = formatOf(x.output)
	}
	to := x.to
	switch {
	case to == byName && named == byName && !cli.IsFile(x.output):
		return 0, cli.Usagef("-o -: want --to FORMAT: %s", cli.OneOf(formatNames[1:]))
	case to == byName && named == byName:
		return 0, cli.Usagef("-o %s: want a name ending in .%s, or --to", x.output, strings.Join(formatNames[1:], ", ."))
	case to == byName:
		to = named
	case named != byName && named != to:
		return 0, cli.Usagef("-o %s: the extension contradicts --to %s", x.output, to)
	}
	if len(x.utf8)+len(x.image) > 0 && to < toColumns {
		flag := "--utf8"
		if len(x.utf8) == 0 {
			flag = "--image"
		}
		return 0, cli.Usagef("%s is for %s, not for %s", flag, cli.OneOf(columnfile.Names), to)
	}
	x.stream = to.String() == "arrows"
	if x.slots > 0 && (cli.IsFile(x.output) || !x.stream) {
		return 0, cli.Usagef("--slots is for -o - --to arrows")
	}
	if to >= toColumns {
		if _, err := cli.ColumnFormat("-o ", x.output, to.String()); err != nil {
			return 0, err
		}
	}
	return to, nil
}

// newFormat returns the format of the export. selected has the names of --select and --drop; it is used without a spec.
func (x *export) newFormat(to formatName, selected []string) (format, error) {
	switch to {
	case toLines:
		return &lineFormat{parser: x.parser, selected: selected, columns: x.columns.printed(x.labels)}, nil
	case toCSV:
		return newCSV(x.parser, x.classNames(), x.printed)
	case toNPZ:
		return x.newNPZ()
	}
	if x.parser != nil {
		if err := x.completeTensors(x.src); err != nil {
			return nil, err
		}
	}
	return x.newColumnFormat(to, x.src)
}

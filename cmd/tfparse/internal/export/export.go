package export

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"slices"

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

// export is one run of the verb. Workers parse and encode batches of records; the goroutine that reads writes them in order.
type export struct {
	reading    scan.Flags
	filter     scan.FeatureFilter
	typ        example.MessageType // --type; TypeAuto: detected, or that of the spec
	spec       string              // --spec; "": none
	output     string              // -o
	to         formatName          // --to; byName: the extension of -o says it
	utf8       cli.NameList        // --utf8: patterns of features that are text; empty: the first records decide
	shuffle    bool
	seed       uint64
	resume     position // --resume; zero: the first record
	allowEmpty bool

	env     *cli.Env
	in      []scan.Input
	parser  *feature.Parser         // of the rows; nil: the format takes records
	kinds   map[string]example.Kind // without a spec: the kinds of the columns; nil for lines
	text    []string                // without a spec: the features whose strings are UTF-8
	format  format
	src     *scan.Source
	out     *cli.OutputSet
	writers []fileWriter // one for each file of out
	rows    int64        // that were written
}

func (x *export) addFlags(fs *pflag.FlagSet) {
	cli.OutputVar(fs, &x.output, "write to `OUT`; - is standard output")
	cli.ChoiceVar(fs, &x.to, "to", formatNames, "write `FORMAT`: auto (by the name of OUT), "+cli.OneOf(formatNames[1:]))
	scan.SpecVar(fs, &x.spec, "write the columns of `SPEC`, a .json or .pbtxt file")
	x.filter.Add(fs, "write")
	cli.FeaturesVar(fs, &x.utf8, "utf8", "parquet, arrow: the strings of `FEATURES` are text, as a,b*,-c [as in the first records]")
	fs.BoolVar(&x.shuffle, "shuffle", false, "write the records of all files in a random order")
	fs.Uint64Var(&x.seed, "seed", 0, "with --shuffle: the same `N` gives the same order")
	fs.TextVar(&x.resume, "resume", x.resume, "begin at `POSITION`, the tfparse:next of a batch of .arrows")
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
	if !cli.IsFile(x.output) && !to.isText() && console.IsTerminal(e.Stdout) {
		return cli.Usagef("cannot write %s to a terminal; name a file with -o", to)
	}
	if _, err := x.filter.List(nil); err != nil {
		return err
	}
	if x.spec != "" {
		x.parser, err = scan.NewParser(x.spec, &x.filter, &feature.ParserOptions{MaxPadded: math.MaxInt, AliasRecords: true}) // no padding; a batch lives as long as its records
		if err == nil {
			err = scan.CheckType(x.typ, x.parser)
		}
		if err != nil {
			return err
		}
	}
	if x.in, err = x.reading.ExpandRecords(e, args); err != nil {
		return err
	}
	if x.resume.file >= max(len(x.in), 1) {
		return cli.Usagef("--resume %s: there are %s", x.resume, cli.Plural(int64(len(x.in)), "file"))
	}
	x.reading.Printing = to.isText() && !cli.IsFile(x.output)
	if x.out, err = e.CreateSet(x.output, scan.Names(x.in)); err != nil {
		return err
	}
	defer e.Heap.Gather()() // the heap is some batches, which become garbage soon
	return x.out.Finish(x.write(to))
}

// partial reports whether the records do not begin with the first one of all inputs.
func (x *export) partial() bool {
	return x.shuffle || x.reading.Shard().Count > 0 || x.resume != position{}
}

// write writes the files.
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
		opts.OneType = "without --spec they are Examples"
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

// refuseEmpty returns an error if an output without rows is not what its input says.
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
	columnBytes = 512 << 10 // of the records of a batch of a format with columns
	rowsBytes   = 2 << 20   // of the rows of a batch: a short record may have a large row
)

// part is the rows of a batch that go to one file.
type part struct {
	records [][]byte        // views of the batch
	rows    *feature.Batch  // the parsed records; nil without a parser
	size    int             // of rows, in bytes
	text    []byte          // of formats of text
	columns columnfile.Rows // of registered formats
	present [][]byte        // of npz without a spec: for each column 1 for each row that has the feature, else 0
	err     error           // of encoding, if it is not about a row
}

// result is the rows of a batch of records.
type result struct {
	parts []part // row i is in part i modulo the number of parts
	rows  []int  // indexes of the records in the batch
}

type batch = scan.Batch[result]

// format is what an export writes. It is for all goroutines.
type format interface {
	// newEncoder returns the function that encodes parts, for one goroutine. It calls refuse for rows that cannot be encoded;
	// then it is called again for the part without them.
	newEncoder(t example.MessageType) func(p *part, refuse func(row int, err error)) error
	// newWriter begins a file.
	newWriter(*cli.Output) (fileWriter, error)
}

// fileWriter writes the parts of one file.
type fileWriter interface {
	// write writes a part. next is the position of the record after it. An error ends the export, also one about a row.
	write(p *part, next string) error
	close() error
}

// newWorker returns the function that parses and encodes batches.
func (x *export) newWorker(t example.MessageType) func(*batch) {
	encode := x.format.newEncoder(t)
	return func(b *batch) {
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

// parse makes the parts of a batch of its records from first on, without those that are refused.
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
	size := 0 // of the rows of all parts
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
			return // nothing after the record is written
		}
	}
}

// writeBatch writes the parts of a batch to the files in turn.
func (x *export) writeBatch(b *batch) error {
	if b.Next == 0 { // --where selects none of the records
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

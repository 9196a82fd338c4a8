package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/bits"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/content"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Digest returns the verb digest, which hashes the content of records.
func Digest() *cli.Command {
	c := &digest{}
	return &cli.Command{
		Name: "digest",
		Flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&c.unordered, "unordered", false, "ignore the order of the records")
			fs.BoolVar(&c.each, "each", false, "print the hash of each file, too")
			scan.TypeVar(fs, &c.typ)
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "work with `N` goroutines")
			c.reading.Add(fs)
		},
		Run: c.run,
	}
}

// A digest holds the flags and the state of one run of the verb.
type digest struct {
	reading   scan.Flags          // which files are read, and how
	typ       example.MessageType // --type; TypeAuto: detected for each file
	unordered bool                // --unordered: the order of the records does not matter
	each      bool                // --each: also a hash for each file
	jobs      int                 // --jobs: number of hashing goroutines
	format    cli.Format          // --format

	env    *cli.Env     // set by run
	out    *cli.Output  // the report; with --each, its text is flushed after each file
	total  digestSum    // of all files
	file   digestSum    // of the current file, for --each
	report digestReport // Files is filled in while reading, the rest at the end
}

// A digestReport is the JSON output.
type digestReport struct {
	Digest  string         `json:"digest"`
	Records uint64         `json:"records"`
	Files   []digestOfFile `json:"files,omitempty"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

// A digestOfFile is the JSON output for a file, with --each.
type digestOfFile struct {
	File    jsonscan.Name `json:"file"`
	Digest  string        `json:"digest"`
	Records uint64        `json:"records"`
}

// recordHashes are the hashes of consecutive records, computed by one worker.
type recordHashes struct {
	*content.Former
	form []byte // buffer for the canonical content of one record
	all  []byte // SHA-256 of each form, concatenated
}

func (c *digest) run(e *cli.Env, args []string) error {
	in, err := c.reading.Expand(e, args)
	if err != nil {
		return err
	}
	c.env = e
	c.out = e.Report()
	c.total = newSum(c.unordered, c.typ == example.TypeRaw)
	src, err := c.reading.Open(e, in, &scan.Options{Type: c.typ, Unknown: true, Begin: c.beginFile, End: c.endFile})
	if err == nil {
		sum := scan.Sum[*recordHashes]{Workers: c.jobs, Fresh: newHashes, Add: (*recordHashes).addRecord, Merge: c.mergeHashes}
		err = sum.Run(src)
	}
	if err != nil {
		return c.out.Finish(err)
	}
	c.report.Digest, c.report.Records = c.total.digestText(), c.total.records
	c.report.PassedOver = cli.JSONNames(c.reading.PassedOver)
	switch {
	case c.format == cli.FormatJSON:
		c.out.JSON(c.report)
	case !c.each:
		c.out.Buf = append(c.out.Buf, c.report.Digest+"\n"...)
	case len(in) > 1:
		c.line(c.report.Digest, "total")
	}
	return c.out.Finish(nil)
}

func (c *digest) line(digest, name string) {
	c.out.Buf = append(c.out.Buf, digest+"\t"+console.OneLine(name)+"\n"...)
}

func (c *digest) beginFile(*scan.File) error {
	c.file = newSum(c.unordered, c.typ == example.TypeRaw)
	return nil
}

func newHashes(t example.MessageType) *recordHashes {
	return &recordHashes{Former: content.NewFormer(t)}
}

func (h *recordHashes) addRecord(rec scan.Record) (err error) {
	if h.form, err = h.Append(h.form[:0], rec.Bytes); err != nil {
		return err
	}
	one := sha256.Sum256(h.form)
	h.all = append(h.all, one[:]...)
	return nil
}

func (c *digest) mergeHashes(h *recordHashes) (reuse bool, err error) {
	c.total.addHashes(h.all)
	if c.each {
		c.file.addHashes(h.all)
	}
	h.all = h.all[:0]
	return true, nil
}

func (c *digest) endFile(f *scan.File) error {
	if f.Unknown != nil {
		if err := c.reading.Fault(c.env, unknownFault(f.Unknown)); err != nil {
			return err
		}
	}
	if !c.each || !f.Opened {
		return nil
	}
	text := c.file.digestText()
	if c.format == cli.FormatJSON {
		c.report.Files = append(c.report.Files, digestOfFile{jsonscan.Name(f.Name), text, c.file.records})
		return nil
	}
	c.line(text, f.Name)
	return c.out.Flush()
}

// A digestSum combines the hashes of records into one hash. The help of digest describes the algorithm.
type digestSum struct {
	name    string    // of the algorithm
	ordered hash.Hash // hash of the hashes, in order; nil with --unordered
	total   [4]uint64 // with --unordered: sum of the hashes modulo 2^256, lowest word first
	records uint64
}

func newSum(unordered, raw bool) digestSum {
	s := digestSum{name: "tfparse1"}
	if raw {
		s.name += "-raw"
	}
	if unordered {
		s.name += "-unordered"
		return s
	}
	s.ordered = sha256.New()
	s.ordered.Write([]byte(s.name + "\n"))
	return s
}

// addHashes adds concatenated hashes of records.
func (s *digestSum) addHashes(hashes []byte) {
	s.records += uint64(len(hashes) / sha256.Size)
	if s.ordered != nil {
		s.ordered.Write(hashes)
		return
	}
	for ; len(hashes) > 0; hashes = hashes[sha256.Size:] {
		carry := uint64(0)
		for i := range s.total {
			s.total[i], carry = bits.Add64(s.total[i], binary.BigEndian.Uint64(hashes[8*(3-i):]), carry)
		}
	}
}

// digestText returns the hash as it is printed.
func (s *digestSum) digestText() string {
	h := s.ordered
	if h == nil {
		h = sha256.New()
		h.Write([]byte(s.name + "\n"))
		b := binary.BigEndian.AppendUint64(nil, s.records)
		for i := range s.total {
			b = binary.BigEndian.AppendUint64(b, s.total[3-i])
		}
		h.Write(b)
	}
	return s.name + ":" + hex.EncodeToString(h.Sum(nil))
}

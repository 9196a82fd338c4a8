package partial

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Parts are the inputs of a merge subcommand.
type Parts struct {
	scan.FileSet // the files with results in the parts

	env     *cli.Env    // of the verb
	reading *scan.Flags // flags for reading the parts
	parts   []part      // in the order of the files
}

// A part is an input and its header.
type part struct {
	in scan.Input
	*Header
}

// Open reads the headers of parts. It returns an error if another verb than one of verbs wrote a part, if the parts do
// not belong together, or if a part is missing. settings, if not nil, are the settings that all parts must have.
func Open(e *cli.Env, r *scan.Flags, in []scan.Input, flagSettings map[string]string, verbs ...string) (*Parts, error) {
	p := &Parts{env: e, reading: r}
	for _, i := range in {
		h, err := readHeader(e, r, &i)
		if err != nil {
			return nil, err
		}
		if err := p.check(h, flagSettings, verbs); err != nil {
			return nil, scan.Misfit(tfrecord.Position{Name: i.Name}, err)
		}
		p.parts = append(p.parts, part{i, h})
	}
	if err := p.order(); err != nil {
		return nil, err
	}
	p.reportFiles()
	return p, nil
}

// readHeader reads the first record of a part. For an input that can be read only once it sets in.Stream, which begins
// with the first byte again.
func readHeader(e *cli.Env, r *scan.Flags, in *scan.Input) (h *Header, err error) {
	if in.Err != nil {
		return nil, scan.Unreadable(in.Name, in.Err)
	}
	var from io.ReadCloser
	if in.Stream != nil {
		from = in.Stream
	} else if in.Name == scan.Stdin {
		from = io.NopCloser(e.Stdin)
	} else {
		if from, err = storage.Open(in.Name); err != nil {
			return nil, scan.Unreadable(in.Name, err)
		}
	}
	var seen bytes.Buffer
	if in.Stream == nil && in.Regular() {
		defer from.Close()
	} else {
		defer func() {
			in.Stream = scan.NewStream(&seen, from)
		}()
	}
	records := tfrecord.NewReader(io.TeeReader(from, &seen), &tfrecord.ReaderOptions{Compression: r.Compression, MaxRecordSize: r.MaxRecord(), SkipChecksums: r.NoCRC})
	rec, err := records.Next()
	if err == io.EOF {
		err = errors.New("not a part: the file is empty")
	}
	if err != nil {
		return nil, scan.FaultOf(in.Name, err, nil)
	}
	if h, err = parseHeader(rec); err != nil {
		return nil, scan.Misfit(tfrecord.Position{Name: in.Name}, err)
	}
	return h, nil
}

// check compares a header with the settings of the command line and with the first part.
func (p *Parts) check(h *Header, flagSettings map[string]string, verbs []string) error {
	if !slices.Contains(verbs, h.Verb) {
		return fmt.Errorf("a part of %s; tfparse %s merge reads it", h.Verb, h.Verb)
	}
	if flagSettings != nil {
		if err := compareSettings(h.Settings, flagSettings, "this run"); err != nil {
			return err
		}
	}
	if len(p.parts) == 0 {
		return nil
	}
	first := p.parts[0]
	switch {
	case h.Verb != first.Verb:
		return fmt.Errorf("a part of %s, but %s is a part of %s", h.Verb, first.in.Name, first.Verb)
	case h.Count != first.Count:
		return differentFlag("shard", h.shard(), first.in.Name, first.shard())
	case h.Count > 0 && !h.All.same(&first.All):
		return fmt.Errorf("its input files differ from those of %s; write the parts again", first.in.Name)
	}
	return compareSettings(h.Settings, first.Settings, "the parts before it")
}

// order sorts the parts of --shard. It returns an error for a duplicate part, and for missing parts unless they are
// allowed.
func (p *Parts) order() error {
	if len(p.parts) == 0 || p.parts[0].Count == 0 {
		return nil
	}
	slices.SortStableFunc(p.parts, func(a, b part) int { return cmp.Compare(a.Index, b.Index) })
	const most = 5
	var names []string
	next, count, missing := 0, p.parts[0].Count, 0
	for _, one := range append(slices.Clone(p.parts), part{Header: &Header{Index: count}}) {
		if one.Index < next {
			return fmt.Errorf("%s: shard %s is given twice", one.in.Name, one.shard())
		}
		missing += one.Index - next
		for ; next < one.Index && len(names) < most; next++ {
			names = append(names, cli.Shard{Index: next, Count: count}.String())
		}
		next = one.Index + 1
	}
	if missing == 0 {
		return nil
	}
	text := fmt.Sprintf("the parts of %s are missing: %s", cli.Plural(int64(missing), "shard"), strings.Join(names, ", "))
	if n := missing - len(names); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	if !p.reading.AllowMissing {
		return errors.New(text + "; --allow-missing-shards merges the others")
	}
	p.env.Skipped.Shards += missing
	p.env.Console.Print(text + "; merging the others")
	return nil
}

// reportFiles repeats the warnings about the input files, and sets the files of p.
func (p *Parts) reportFiles() {
	p.reading.PassedOver = nil
	for _, one := range p.different() {
		p.Files += one.All.Files
		p.First = cmp.Or(p.First, string(one.All.First))
		p.reading.NotePassedOver(p.env, one.All.passedOver())
		p.reading.PassedOver = append(p.reading.PassedOver, one.All.passedOver()...)
		p.reading.WarnBroken(p.env, one.All.Broken)
	}
	for _, one := range p.parts {
		if one.Header.Bytes == 0 && one.Header.Files > 0 {
			p.Bytes = 0
			return
		}
		p.Bytes += one.Header.Bytes
	}
}

// Only returns the name of the only input file; "" for several files.
func (p *Parts) Only() string {
	if p.Files != 1 {
		return ""
	}
	return p.First
}

// different returns the parts whose headers describe different files. All parts of --shard have the same All, so it
// returns the first of them.
func (p *Parts) different() []part {
	if len(p.parts) > 0 && p.parts[0].Count > 0 {
		return p.parts[:1]
	}
	return p.parts
}

// Own calls use with the data of the verb in each header. An error names the part.
func (p *Parts) Own(use func(b []byte) error) error {
	for _, one := range p.different() {
		if one.All.Own == nil {
			continue
		}
		if err := use(one.All.Own); err != nil {
			return scan.Misfit(tfrecord.Position{Name: one.in.Name}, err)
		}
	}
	return nil
}

// Options calls use with the options of the statistics in each part. An error names the part.
func (p *Parts) Options(use func(b []byte) error) error {
	for _, one := range p.parts {
		if one.Header.Options == nil {
			continue
		}
		if err := use(one.Header.Options); err != nil {
			return scan.Misfit(tfrecord.Position{Name: one.in.Name}, err)
		}
	}
	return nil
}

// Each calls use with every result, in the order of the files. A damaged part is an error.
func (p *Parts) Each(use func(*Result) error) error {
	in := make([]scan.Input, len(p.parts))
	for i, one := range p.parts {
		in[i] = one.in
	}
	files := int64(0) // files with results in the part so far
	src, err := p.reading.Open(p.env, in, &scan.Options{
		Type:  example.TypeRaw,
		Begin: func(*scan.File) error { files = 0; return nil },
		Fault: func(f *scan.Fault) error { return f },
		End: func(f *scan.File) error {
			if want := int64(p.parts[f.Index].Files); files != want {
				return fmt.Errorf("%s: truncated part: it has the results of %d of %s", f.Name, files, cli.Plural(want, "file"))
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	return src.Each(func(rec scan.Record) error {
		if rec.Record == 0 { // the header
			return nil
		}
		var r Result
		if err := r.UnmarshalBinary(rec.Bytes); err != nil {
			return scan.Misfit(rec.Position, err)
		}
		files += r.Files
		err := use(&r)
		if _, ok := errors.AsType[Damage](err); ok {
			return scan.Misfit(rec.Position, err)
		}
		return err
	})
}

// Messages returns the value of --max-messages that the parts were written with.
func (p *Parts) Messages() string { return p.parts[0].Settings["max-messages"] }

// Header returns the header of the merged part.
func (p *Parts) Header() *Header {
	h := *p.parts[0].Header
	h.Index, h.Count, h.Files, h.All.Files = 0, 0, 0, p.Files
	h.All.PassedOver, h.All.Broken, h.All.First, h.Bytes = nil, nil, jsonscan.Name(p.First), p.Bytes
	for _, one := range p.parts {
		h.Files += one.Header.Files
	}
	for _, one := range p.different() {
		h.All.PassedOver = append(h.All.PassedOver, one.All.PassedOver...)
		h.All.Broken = append(h.All.Broken, one.All.Broken...)
	}
	return &h
}

// Damage is the error of a use function about an invalid result. [Parts.Each] adds the position.
type Damage string

func (d Damage) Error() string { return string(d) }

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
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Parts are what a verb with the word merge reads.
type Parts struct {
	scan.FileSet // that the parts are of

	env     *cli.Env
	reading *scan.Flags
	parts   []part // in the order of the files
}

// A part is one of the inputs.
type part struct {
	in scan.Input
	*Header
}

// Open reads the headers of parts that one of the verbs has written, and checks that they belong together and none of them is missing.
// settings, unless nil, are those of the command line.
func Open(e *cli.Env, r *scan.Flags, in []scan.Input, settings map[string]string, verbs ...string) (*Parts, error) {
	p := &Parts{env: e, reading: r}
	for _, i := range in {
		h, err := readHeader(e, r, &i)
		if err != nil {
			return nil, err
		}
		if err := p.check(h, settings, verbs); err != nil {
			return nil, scan.Misfit(tfrecord.Position{Name: i.Name}, err)
		}
		p.parts = append(p.parts, part{i, h})
	}
	if err := p.order(); err != nil {
		return nil, err
	}
	p.found()
	return p, nil
}

// readHeader reads the first record of a part. What can be read once only is read again from its beginning.
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
	if h, err = parse(rec); err != nil {
		return nil, scan.Misfit(tfrecord.Position{Name: in.Name}, err)
	}
	return h, nil
}

// check compares a header with the command line, and with the part before.
func (p *Parts) check(h *Header, settings map[string]string, verbs []string) error {
	if !slices.Contains(verbs, h.Verb) {
		return fmt.Errorf("it is a part of %s: tfparse %s merge reads it", h.Verb, h.Verb)
	}
	if settings != nil {
		if err := differ(h.Settings, settings, "this run is"); err != nil {
			return err
		}
	}
	if len(p.parts) == 0 {
		return nil
	}
	first := p.parts[0]
	switch {
	case h.Verb != first.Verb:
		return fmt.Errorf("it is a part of %s, and the parts before it are of %s", h.Verb, first.Verb)
	case h.Count != first.Count:
		return fmt.Errorf("it was written %s, and %s %s", With("shard", h.shard()), first.in.Name, With("shard", first.shard()))
	case h.Count > 0 && !h.All.same(&first.All):
		return fmt.Errorf("it was written when the files were not those that %s is of: write the parts again", first.in.Name)
	}
	return differ(h.Settings, first.Settings, "the parts before it")
}

// order sorts parts of --shard, and looks for those that are missing or given twice.
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

// found says what was said when the files were looked up.
func (p *Parts) found() {
	p.reading.PassedOver = nil
	for _, one := range p.different() {
		p.Files += one.All.Files
		p.First = cmp.Or(p.First, string(one.All.First))
		p.reading.NotePassedOver(p.env, one.All.passedOver())
		p.reading.PassedOver = append(p.reading.PassedOver, one.All.passedOver()...)
		p.reading.WarnBroken(p.env, one.All.brokenSets())
	}
	for _, one := range p.parts {
		if one.Header.Bytes == 0 && one.Header.Files > 0 {
			p.Bytes = 0
			return
		}
		p.Bytes += one.Header.Bytes
	}
}

// Only is the name of the file that the parts are of, if it is one.
func (p *Parts) Only() string {
	if p.Files != 1 {
		return ""
	}
	return p.First
}

// different returns the parts that are of different files, as a whole: those of --shard know the same of all files.
func (p *Parts) different() []part {
	if len(p.parts) > 0 && p.parts[0].Count > 0 {
		return p.parts[:1]
	}
	return p.parts
}

// Own calls use with what the verb has put into headers. An error names the part.
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

// Options calls use with the options of the statistics in each part, if it has any. An error names the part.
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
	files := int64(0) // that the results of the part at hand are of
	src, err := p.reading.Open(p.env, in, &scan.Options{
		Type:  example.TypeRaw,
		Begin: func(*scan.File) error { files = 0; return nil },
		Fault: func(f *scan.Fault) error { return f },
		End: func(f *scan.File) error {
			if want := int64(p.parts[f.Index].Files); files != want {
				return fmt.Errorf("%s: it is cut short: it has the results of %d of %s", f.Name, files, cli.Plural(want, "file"))
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

// Messages is the value of --max-messages.
func (p *Parts) Messages() string { return p.parts[0].Settings["max-messages"] }

// Header returns the header of all parts as one.
func (p *Parts) Header() *Header {
	h := *p.parts[0].Header
	h.Index, h.Count, h.Files, h.All.Files = 0, 0, 0, p.Files
	h.All.PassedOver, h.All.Broken, h.All.First, h.Bytes = nil, nil, []byte(p.First), p.Bytes
	for _, one := range p.parts {
		h.Files += one.Header.Files
	}
	for _, one := range p.different() {
		h.All.PassedOver = append(h.All.PassedOver, one.All.PassedOver...)
		h.All.Broken = append(h.All.Broken, one.All.Broken...)
	}
	return &h
}

// Damage is what is wrong with a result that a verb is given. [Parts.Each] adds the place.
type Damage string

func (d Damage) Error() string { return string(d) }

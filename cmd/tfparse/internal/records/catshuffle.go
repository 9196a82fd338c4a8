package records

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// shuffled reads the records of all inputs in a random order.
func (c *cat) shuffled(e *cli.Env, in []recordscan.Input, seed uint64, v recordscan.Visitor) error {
	for _, i := range in {
		if i.Records != nil {
			return cli.Usagef("%s: --shuffle is for whole files; tfparse get prints records by their numbers", i.Name)
		}
	}
	if err := c.anyOrder(in, "tfparse shuffle writes the records of a pipe in a random order"); err != nil {
		return err
	}
	opts := &recordscan.Options{}
	return c.reading.With(e, in, opts, func() error {
		if c.spec == "" && c.printing.typ.message() == example.TypeAuto {
			if err := sameMessage(e, in, opts); err != nil {
				return err
			}
		}
		return recordscan.WalkShuffled(e.Ctx, in, opts, seed, e.Console.Print, v)
	})
}

// anyOrder refuses inputs that cannot be read in any order. instead says what can be done with a pipe.
func (c *cat) anyOrder(in []recordscan.Input, instead string) error {
	if c.reading.NoCRC {
		return cli.Usagef("--no-crc is for reading from front to end; an index is not trusted without checksums")
	}
	for _, i := range in {
		if i.Table != nil {
			return cli.Usagef("%s: CSV is read from front to end; tfparse encode makes records of it, which can be read in any order", i.Name)
		}
		_, err := storage.Stat(i.Name) // a file that is not there is a fault, not a mistake in usage
		if i.Err == nil && !i.Regular() && (err == nil || i.Name == recordscan.Stdin) {
			return cli.Usagef("%s: only a regular file can be read in any order; %s", i.Name, instead)
		}
	}
	return nil
}

// sameMessage is an error if files hold different messages: shuffled together, an Example would print as
// a SequenceExample without feature lists.
func sameMessage(e *cli.Env, in []recordscan.Input, opts *recordscan.Options) error {
	var first recordscan.Input
	t := example.TypeAuto
	for _, i := range in {
		f := &messageFinder{}
		quiet := &recordscan.Options{Stdin: opts.Stdin, Reader: opts.Reader, Step: opts.Step}
		if err := recordscan.Walk(e.Ctx, []recordscan.Input{i}, quiet, recordscan.Guess(example.TypeAuto, f)); err != nil {
			return err
		}
		switch {
		case f.found == example.TypeAuto || f.found == t:
		case t == example.TypeAuto:
			first, t = i, f.found
		default:
			return cli.Usagef("%s has records of type %v, and %s of type %v: --shuffle prints one type; --type says which", first.Name, t, i.Name, f.found)
		}
	}
	return nil
}

// A messageFinder finds the type of the records of a file, or nothing where they cannot be read.
type messageFinder struct{ found example.MessageType }

func (f *messageFinder) Begin(*recordscan.File) error           { return nil }
func (f *messageFinder) Record([]byte, tfrecord.Position) error { return recordscan.ErrStop }
func (f *messageFinder) Skipped(*recordscan.Fault) error        { return nil }
func (f *messageFinder) End(*recordscan.File) error             { return nil }
func (f *messageFinder) Type(t example.MessageType) error {
	f.found = t
	return recordscan.ErrStop
}

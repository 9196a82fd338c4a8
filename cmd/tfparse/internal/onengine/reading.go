package onengine

import (
	"errors"

	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/atomicfile"
)

// Reading fills in what the flags of reading say.
func Reading(w *engine.Work, r *reading.Flags) {
	w.Compression, w.MaxRecordSize, w.SkipChecksums = r.Compression, r.MaxRecord(), r.NoCRC
	w.Stop, w.Messages = r.OnError == cli.Stop, r.Messages()
}

// Count has the records of the inputs counted. The faults in the result are not yet reported.
func Count(e *cli.Env, on engine.Engine, r *reading.Flags, in []recordscan.Input, how engine.Counting) (*engine.Result, error) {
	files, err := Files(in)
	if err != nil {
		return nil, err
	}
	w := engine.NewCounting(how.Verify)
	w.Counting = &how
	Reading(w, r)
	return on.Gather(e.Ctx, w, files)
}

// A Copy says what is copied to which output.
type Copy struct {
	Reading    *reading.Flags
	Writing    *cli.Writing
	AllowEmpty bool
	Shuffle    bool
	Seed       uint64
	Memory     int64
	Type       example.MessageType // TypeAuto: the files hold one; TypeRaw: any

	// What Run has found out.
	Names   []string // of the files that are written
	Records []int64  // that were written to each of them
	Read    int64    // records
}

// Run copies records. All inputs are counted first: what is damaged is reported before anything is written.
func (c *Copy) Run(e *cli.Env, on engine.Engine, in []recordscan.Input) error {
	opts, err := c.Writing.Options()
	if err != nil {
		return err
	}
	if c.Type != example.TypeAuto && c.Type != example.TypeRaw {
		return cli.Usagef("--type %v is for one process; here it is auto or raw", c.Type)
	}
	if c.Names, err = c.Writing.OutputNames(reading.Names(in), opts); err != nil {
		return err
	}
	if !reading.ReadTwice(in) {
		return cli.Usagef("an input is a pipe, which can be read once: name files")
	}
	if err := writable(c.Names[0]); err != nil {
		return err
	}
	r, err := Count(e, on, c.Reading, in, engine.Counting{Verify: true, Messages: c.Type == example.TypeAuto})
	if err == nil {
		err = c.Reading.Report(e, &r.Faults)
	}
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return err
	}
	files, err := Files(in)
	if err != nil {
		return err
	}
	if len(r.Counts) != len(files) {
		return errors.New("the engine has not counted all files")
	}
	var messages recordscan.Messages
	for _, n := range r.Counts {
		if err := messages.Add(n.File, n.Message); err != nil {
			return err
		}
	}
	for i, n := range r.Counts {
		files[i].Records = n.Records
		if !n.Opened && files[i].Err == "" {
			files[i].Err = "it could not be read"
		}
		c.Read += n.Records
	}
	if c.Read == 0 && !c.AllowEmpty && !c.Writing.KeepShards && !anyRegular(in) {
		return cli.RefuseEmpty(c.Names[0], cli.EmptyPipe)
	}
	c.Records, err = on.Rewrite(e.Ctx, &engine.Rewriting{
		Output: c.Writing.Output, Compression: opts.Compression, Level: opts.Level, KeepShards: c.Writing.KeepShards,
		Shuffle: c.Shuffle, Seed: c.Seed, Memory: c.Memory,
		Input: c.Reading.Compression, MaxRecordSize: c.Reading.MaxRecord(), SkipChecksums: c.Reading.NoCRC, Stop: c.Reading.OnError == cli.Stop,
	}, files)
	return err
}

func anyRegular(in []recordscan.Input) bool {
	for _, i := range in {
		if i.Regular() {
			return true
		}
	}
	return false
}

// writable is an error if no file can be made with the name of an output, as far as that can be known without a request to a store.
func writable(name string) error {
	f, err := atomicfile.Create(name)
	if err != nil {
		return cli.OutputError(name, err)
	}
	f.Abort()
	return nil
}

package files

import (
	"encoding/json"
	"io"
	"math"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// VerifyMerge puts together what verify --partial has written.
func VerifyMerge() *cli.Command {
	c := newVerify()
	return c.part.MergeCommand(c.command())
}

// ofAll is what verify finds out about all files, whatever its shard of them. Names and texts are bytes, since JSON has no others
// than UTF-8.
type ofAll struct {
	Sets  []brokenSet `json:"sets,omitempty"`
	Twice []givenFile `json:"twice,omitempty"`
}

type brokenSet struct {
	Set     []byte `json:"set"`
	Message []byte `json:"message"`
	Missing int    `json:"missing"`
}

type givenFile struct {
	File    []byte `json:"file"`
	Message string `json:"message"`
}

// writePart reads files for tfparse verify merge.
func (c *verify) writePart(read func() error) (err error) {
	c.env.Deferred = true
	c.out = &cli.Output{W: io.Discard}
	c.unlimit = c.env.Heap.LimitTo(heapLimit)
	defer c.unlimit()
	var own ofAll
	for _, s := range c.sets {
		own.Sets = append(own.Sets, brokenSet{[]byte(s.Set), []byte(s.Message), s.Missing})
	}
	for _, w := range c.twice {
		own.Twice = append(own.Twice, givenFile{[]byte(w.File), w.Message})
	}
	c.to, err = partial.Create(c.env, c.part.Name, scan.Names(c.reading.Inputs), func() (*partial.Header, error) {
		return partial.NewHeader(c.part.Verb, &c.reading, c.part.Settings(nil), own)
	})
	if err != nil {
		return err
	}
	return c.to.Finish(read())
}

// writeFile writes what was found in a file.
func (c *verify) writeFile(f *scan.OldFile) error {
	r := partial.New(math.MaxInt)
	r.Faults.Kept, c.faults = c.faults, nil
	v := &partial.Verified{Codec: f.Codec, Stored: f.Stored, Faults: c.found}
	if s := &c.summary; s.Records != nil {
		r.Records, v.Bytes = *s.Records, *s.Bytes
	}
	if t := c.summary.Type; t != nil {
		v.Type = *t
	}
	if looks := c.summary.LooksLike; looks != nil {
		v.LooksLike = *looks
	}
	for _, k := range c.kinds.tables {
		var err error
		if v.Kinds, err = k.AppendKinds(nil); err != nil {
			return err
		}
	}
	c.kinds.forget()
	r.Counts = []partial.Count{{File: f.Name, Opened: f.Opened, Records: f.Count}}
	r.Verified = v
	return c.to.Write(r)
}

// openParts returns what reads parts.
func (c *verify) openParts(args []string) (read func() error, err error) {
	in, err := c.reading.Expand(c.env, args)
	if err != nil {
		return nil, err
	}
	parts, err := partial.Open(c.env, &c.reading, in, c.part.Settings(nil), c.part.Verb)
	if err != nil {
		return nil, err
	}
	c.files = parts.Files
	return func() error {
		err := parts.Own(func(b []byte) error {
			var own ofAll
			if err := json.Unmarshal(b, &own); err != nil {
				return err
			}
			for _, s := range own.Sets {
				c.sets = append(c.sets, &filelist.SetError{Set: string(s.Set), Message: string(s.Message), Missing: s.Missing})
			}
			for _, w := range own.Twice {
				c.twice = append(c.twice, warning{File: jsonscan.Name(w.File), Message: w.Message})
			}
			return nil
		})
		if err != nil {
			return err
		}
		return parts.Each(c.use)
	}, nil
}

// use reports what was found in a file elsewhere.
func (c *verify) use(r *partial.Result) error {
	v := r.Verified
	if v == nil {
		return partial.Damage("it is no result of tfparse verify")
	}
	for _, n := range r.Counts {
		if len(r.Faults.Kept) == 0 && (!n.Opened || v.Faults > 0) || len(r.Faults.Kept) > v.Faults {
			return partial.Damage("it is no result of tfparse verify: the numbers of its faults differ")
		}
		f := &scan.OldFile{Name: n.File, Opened: n.Opened, Codec: v.Codec, Stored: v.Stored, Count: n.Records}
		if err := c.Begin(f); err != nil {
			return err
		}
		for _, fault := range r.Faults.Kept {
			if err := c.add(fault); err != nil {
				return err
			}
		}
		c.found = v.Faults
		if v.Type != "" {
			c.summary.Type, c.summary.LooksLike = &v.Type, cli.Known(v.LooksLike, v.LooksLike != "")
		}
		if v.Type == unknownType {
			c.unknown.add(n.File, v.LooksLike)
		}
		if n.Opened {
			c.records += r.Records
			*c.summary.Records, *c.summary.Bytes = r.Records, v.Bytes
		}
		if v.Kinds != nil {
			t, err := summary.ReadKinds(v.Kinds)
			if err != nil {
				return partial.Damage(err.Error())
			}
			c.kinds.now(t.Type()).Merge(t)
		}
		if err := c.End(f); err != nil {
			return err
		}
	}
	return nil
}

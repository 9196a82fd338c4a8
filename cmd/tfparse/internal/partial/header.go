package partial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/filelist"
)

// Magic begins every part. It ends with the version of the form: machines that divide one job run the same version.
const Magic = "tfparse part 1\n"

// A Header says what the results of a part are of.
type Header struct {
	Verb  string `json:"verb"`
	Index int    `json:"index,omitempty"` // of --shard
	Count int    `json:"count,omitempty"` // of --shard; 0 without
	Files int    `json:"files"`           // that the results are of
	Bytes int64  `json:"bytes,omitempty"` // in these, as they are stored; 0 if that is not known, or no page says it

	// Settings are the values of flags that all parts must have alike, by name. That of a file is the hash of its content.
	Settings map[string]string `json:"settings"`
	// Options are options of statistics, as an accumulator without records; nil where no statistics are made.
	Options []byte `json:"options,omitempty"`

	All All `json:"all"`
}

// All is what is known of all files, those of the other machines too.
type All struct {
	Files      int             `json:"files"`
	First      []byte          `json:"first,omitempty"`       // the name of the first file
	PassedOver [][]byte        `json:"passed_over,omitempty"` // names; bytes, since JSON has no others than UTF-8
	Broken     []brokenSet     `json:"broken,omitempty"`      // sets that are not whole
	Own        json.RawMessage `json:"own,omitempty"`         // what the verb has found out
}

// A brokenSet is a set of shards that is not whole.
type brokenSet struct {
	Set     []byte `json:"set"`
	Message []byte `json:"message"`
	Missing int    `json:"missing"`
}

// NewHeader returns the header of a part about the inputs that the flags have found. own, if not nil, is put into All.
func NewHeader(verb string, r *scan.Flags, settings map[string]string, own any) (*Header, error) {
	h := &Header{Verb: verb, Index: r.Shard().Index, Count: r.Shard().Count, Files: len(r.Inputs), Settings: settings}
	if h.All.Files = len(r.AllInputs); h.All.Files > 0 {
		h.All.First = []byte(r.AllInputs[0].Name)
	}
	for _, name := range r.PassedOver {
		h.All.PassedOver = append(h.All.PassedOver, []byte(name))
	}
	for _, set := range r.Broken {
		h.All.Broken = append(h.All.Broken, brokenSet{[]byte(set.Set), []byte(set.Message), set.Missing})
	}
	if own == nil {
		return h, nil
	}
	var err error
	h.All.Own, err = json.Marshal(own)
	return h, err
}

// parse reads a header.
func parse(b []byte) (*Header, error) {
	b, ok := bytes.CutPrefix(b, []byte(Magic))
	if !ok {
		return nil, errors.New("not a part that this version of tfparse wrote with --partial")
	}
	h := &Header{}
	if err := json.Unmarshal(b, h); err != nil {
		return nil, fmt.Errorf("not a part: %w", err)
	}
	if h.Files < 0 || h.Bytes < 0 || h.Count < 0 || h.Count > 0 && (h.Index < 0 || h.Index >= h.Count) {
		return nil, errors.New("not a part: a number in its header is out of range")
	}
	return h, nil
}

// append appends the bytes form.
func (h *Header) append(dst []byte) ([]byte, error) {
	b, err := json.Marshal(h)
	return append(append(dst, Magic...), b...), err
}

// settings returns the values of flags.
func settings(fs *pflag.FlagSet, names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = fs.Lookup(name).Value.String()
	}
	return all
}

// hashed begins the value of a setting that is the hash of a content.
const hashed = "sha256:"

// differ returns an error if a setting differs from that of the earlier parts.
func differ(got, want map[string]string, before string) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] == want[name] {
			continue
		}
		if strings.HasPrefix(got[name], hashed) || strings.HasPrefix(want[name], hashed) {
			return fmt.Errorf("it was not written with the --%s of %s", name, strings.TrimSuffix(before, " is"))
		}
		return fmt.Errorf("it was written %s, and %s %s", With(name, got[name]), before, With(name, want[name]))
	}
	return nil
}

// With returns the value that a flag was given, "" if it was not given.
func With(flag, value string) string {
	switch value {
	case "", "[]":
		return "without --" + flag
	}
	return "with --" + flag + " " + value
}

// brokenSets returns the sets that are not whole.
func (a *All) brokenSets() (sets []*filelist.SetError) {
	for _, b := range a.Broken {
		sets = append(sets, &filelist.SetError{Set: string(b.Set), Message: string(b.Message), Missing: b.Missing})
	}
	return sets
}

// passedOver returns the names of files that were left out of directories.
func (a *All) passedOver() (names []string) {
	for _, name := range a.PassedOver {
		names = append(names, string(name))
	}
	return names
}

// same reports whether two parts are of the same files.
func (a *All) same(o *All) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(o)
	return err == nil && other == nil && bytes.Equal(x, y)
}

// shard is the value of --shard that the part was written with, "" without the flag.
func (h *Header) shard() string {
	if h.Count == 0 {
		return ""
	}
	return cli.Shard{Index: h.Index, Count: h.Count}.String()
}

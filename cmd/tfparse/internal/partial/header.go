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
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Magic is the first line of every part. It ends with the version of the format; parts of other versions are refused.
const Magic = "tfparse part 2\n"

// A Header describes the results in a part.
type Header struct {
	Verb  string `json:"verb"`            // that wrote the part
	Index int    `json:"index,omitempty"` // of --shard
	Count int    `json:"count,omitempty"` // of --shard; 0 without
	Files int    `json:"files"`           // number of files with results in the part
	Bytes int64  `json:"bytes,omitempty"` // stored size of these files; 0: unknown, or not needed

	// Settings are the values of flags that all parts must have alike, by flag. For a file it is the hash of the
	// content.
	Settings map[string]string `json:"settings"`
	// Options are the options of statistics, as an accumulator without records; nil without statistics.
	Options []byte `json:"options,omitempty"`

	// All describes the files of all machines. It is the same in all parts of one run.
	All All `json:"all"`
}

// All describes all input files, including those of other machines.
type All struct {
	Files      int             `json:"files"`                 // number of files
	First      jsonscan.Name   `json:"first,omitempty"`       // the name of the first file
	PassedOver []jsonscan.Name `json:"passed_over,omitempty"` // names of files left out of directories
	Broken     Sets            `json:"broken,omitempty"`      // incomplete sets of shards
	Own        json.RawMessage `json:"own,omitempty"`         // data of the verb
}

// Sets is a list of incomplete sets of shards, with a JSON form.
type Sets []*filelist.SetError

// setJSON is the JSON form of a [filelist.SetError].
type setJSON struct {
	Set     jsonscan.Name `json:"set"`
	Message jsonscan.Name `json:"message"`
	Missing int           `json:"missing"`
}

// MarshalJSON implements [json.Marshaler].
func (s Sets) MarshalJSON() ([]byte, error) {
	var all []setJSON
	for _, set := range s {
		all = append(all, setJSON{jsonscan.Name(set.Set), jsonscan.Name(set.Message), set.Missing})
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Sets) UnmarshalJSON(b []byte) error {
	var all []setJSON
	err := json.Unmarshal(b, &all)
	for _, set := range all {
		*s = append(*s, &filelist.SetError{Set: string(set.Set), Message: string(set.Message), Missing: set.Missing})
	}
	return err
}

// NewHeader returns the header of a part for the inputs of the flags. own, if not nil, becomes All.Own.
func NewHeader(verb string, r *scan.Flags, flagSettings map[string]string, own any) (*Header, error) {
	h := &Header{Verb: verb, Index: r.Shard().Index, Count: r.Shard().Count, Files: len(r.Inputs), Settings: flagSettings}
	h.All.PassedOver, h.All.Broken = cli.JSONNames(r.PassedOver), r.Broken
	if h.All.Files = len(r.AllInputs); h.All.Files > 0 {
		h.All.First = jsonscan.Name(r.AllInputs[0].Name)
	}
	if own == nil {
		return h, nil
	}
	var err error
	h.All.Own, err = json.Marshal(own)
	return h, err
}

// parseHeader decodes the first record of a part.
func parseHeader(b []byte) (*Header, error) {
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

// append appends the first record of a part.
func (h *Header) append(dst []byte) ([]byte, error) {
	b, err := json.Marshal(h)
	return append(append(dst, Magic...), b...), err
}

// flagSettings returns the values of flags by name.
func flagSettings(fs *pflag.FlagSet, names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = fs.Lookup(name).Value.String()
	}
	return all
}

// hashPrefix is the beginning of a setting that is a hash.
const hashPrefix = "sha256:"

// compareSettings returns an error if a setting differs from want. owner names the part or command of want in messages.
func compareSettings(got, want map[string]string, owner string) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] == want[name] {
			continue
		}
		if strings.HasPrefix(got[name], hashPrefix) || strings.HasPrefix(want[name], hashPrefix) {
			return fmt.Errorf("its --%s file differs from that of %s", name, owner)
		}
		return differentFlag(name, got[name], owner, want[name])
	}
	return nil
}

// differentFlag returns the error about a part that was written with another value of a flag than owner.
func differentFlag(flag, value, owner, want string) error {
	return fmt.Errorf("it was written %s, and %s %s", withFlag(flag, value), owner, withFlag(flag, want))
}

// withFlag returns a flag with its value as on a command line.
func withFlag(flag, value string) string {
	switch value {
	case "", "[]", "false":
		return "without --" + flag
	case "true":
		return "with --" + flag
	}
	return "with --" + flag + " " + value
}

// passedOver returns the names of files that were left out of directories.
func (a *All) passedOver() (names []string) {
	for _, name := range a.PassedOver {
		names = append(names, string(name))
	}
	return names
}

// same reports whether two parts describe the same files.
func (a *All) same(o *All) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(o)
	return err == nil && other == nil && bytes.Equal(x, y)
}

// shard returns the value of --shard for the part; "" without the flag.
func (h *Header) shard() string {
	if h.Count == 0 {
		return ""
	}
	return cli.Shard{Index: h.Index, Count: h.Count}.String()
}

package files

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/message"
)

// setKinds are the kinds that features have in each set of shards, and in each file that is no
// shard. A parser takes a feature for one kind, and fails at records with another.
type setKinds struct {
	tables []*kindTable // in the order of their first file
	file   string       // at hand
	at     *kindTable   // nil: not looked up
	spare  []*summary.Table
	shared message.Shared // names of all tables
}

// A kindTable has those of one type of messages in one set.
type kindTable struct {
	set string
	*summary.Table
}

// fresh returns an empty part.
func (s *setKinds) fresh(t example.MessageType) *summary.Table {
	for n := len(s.spare) - 1; n >= 0; n-- {
		k := s.spare[n]
		if s.spare = s.spare[:n]; k.Type() == t {
			return k
		}
	}
	return summary.NewPart(t, &s.shared)
}

// begin begins a file. A table without a feature of different kinds goes when its file, which is
// no shard, ends; what stays is how many records are empty.
func (s *setKinds) begin(file string) {
	if n := len(s.tables) - 1; n >= 0 && s.tables[n].set == s.file && len(mixed(s.tables[n])) == 0 {
		last := s.tables[n]
		if s.tables = s.tables[:n]; last.Empty > 0 {
			slim := summary.NewTable(last.Type())
			slim.Empty, slim.NoneAt = last.Empty, last.NoneAt
			s.tables = append(s.tables, &kindTable{last.set, slim})
		}
	}
	s.file, s.at = file, nil
}

// merge takes what some records of the file have.
func (s *setKinds) merge(k *summary.Table) {
	if s.now(k.Type()).Merge(k) {
		s.spare = append(s.spare, k)
	}
}

// now returns the table of the file at hand.
func (s *setKinds) now(t example.MessageType) *summary.Table {
	if s.at == nil {
		s.at = s.table(t)
	}
	return s.at.Table
}

// forget forgets the files before.
func (s *setKinds) forget() { s.tables, s.at = nil, nil }

// table returns the one of the file at hand.
func (s *setKinds) table(t example.MessageType) *kindTable {
	set := s.file
	if shard, ok := scan.Files.ParseShard(set); ok {
		set = shard.Set()
	}
	for _, k := range s.tables {
		if k.set == set && k.Type() == t {
			return k
		}
	}
	k := &kindTable{set, summary.NewTable(t)}
	s.tables = append(s.tables, k)
	return k
}

// mixed returns the features that have more than one kind.
func mixed(k *kindTable) (all []summary.Feature) {
	for _, f := range k.Features() {
		kinds := 0
		for _, n := range f.Kinds {
			if n > 0 {
				kinds++
			}
		}
		if kinds > 1 {
			all = append(all, f)
		}
	}
	return all
}

// featureKinds is a feature of different kinds, as JSON has it.
type featureKinds struct {
	Part  *string         `json:"part"`
	Name  json.RawMessage `json:"name"`
	Kinds []firstOfKind   `json:"kinds"`
}

// firstOfKind is the first record that has a feature of a kind.
type firstOfKind struct {
	Kind   string        `json:"kind"`
	File   jsonscan.Name `json:"file"`
	Record int64         `json:"record"`
}

// mostMixed is how many features of a set have a warning of their own.
const mostMixed = 10

// warnings are those of features with different kinds, of each set only some unless all are wanted.
func (s *setKinds) warnings(wanted bool) (all []warning) {
	for _, k := range s.tables {
		features := mixed(k)
		for i, f := range features {
			if i == mostMixed && !wanted {
				all = append(all, warning{File: jsonscan.Name(k.set), Message: fmt.Sprintf("%s more of different kinds; --all lists them", cli.Plural(int64(len(features)-i), "feature"))})
				break
			}
			all = append(all, kindWarning(k.set, f))
		}
		if k.Empty > 0 {
			all = append(all, warning{File: jsonscan.Name(k.set), Message: fmt.Sprintf("%s without features, the first %s#%d", cli.Plural(k.Empty, "record"), k.NoneAt.File, k.NoneAt.Record)})
		}
		if k.Omitted > 0 {
			all = append(all, warning{File: jsonscan.Name(k.set), Message: "there are too many features to compare the kinds of all"})
		}
	}
	return all
}

func kindWarning(set string, f summary.Feature) warning {
	mixed := &featureKinds{Part: cli.Known(f.Part.String(), f.Part != summary.Top), Name: jsonscan.AppendName(nil, []byte(f.Name))}
	var places []string
	for kind, n := range f.Kinds {
		if n > 0 {
			first, name := f.First[kind], cli.KindNames[kind]
			mixed.Kinds = append(mixed.Kinds, firstOfKind{name, jsonscan.Name(first.File), first.Record})
			places = append(places, fmt.Sprintf("%s in %s#%d", name, first.File, first.Record))
		}
	}
	path := example.Path{Part: f.Part.String(), Feature: f.Name}
	return warning{jsonscan.Name(set), fmt.Sprintf("%v: different kinds: %s; a parser takes one", path, strings.Join(places, ", ")), mixed}
}

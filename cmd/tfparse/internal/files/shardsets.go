package files

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// setOrFile is the name of the set that a file is a shard of, or its own.
func setOrFile(file string) string {
	if shard, ok := scan.Files.ParseShard(file); ok {
		return shard.SetName()
	}
	return file
}

// shardSets compare the shards of each set, which should be alike. A TFRecordDataset takes one codec for all of its files and fails
// at others, while this command finds the codec of each.
type shardSets struct {
	codecs perSet[tfrecord.Compression]
	types  perSet[string] // of messages
	empty  perSet[string] // shards without a record, under ""
}

// A perSet has the shards of sets, by the name of the set and a property of the shard.
type perSet[V cmp.Ordered] map[string]map[V]shardGroup

// A shardGroup is some shards of a set.
type shardGroup struct {
	n     int
	first string
}

// add adds a file that was read, if it is a shard.
func (s *shardSets) add(f *fileSummary) {
	if s.types == nil {
		*s = shardSets{perSet[tfrecord.Compression]{}, perSet[string]{}, perSet[string]{}}
	}
	if _, ok := scan.Files.ParseShard(f.Name); !ok {
		return
	}
	if f.Codec != tfrecord.Auto && f.Stored > 0 { // a file of no bytes has every codec
		s.codecs.add(f.Name, f.Codec)
	}
	switch {
	case f.Type != "":
		s.types.add(f.Name, f.Type)
	case f.Faults == 0 && f.Opened:
		s.empty.add(f.Name, "")
	}
}

func (s perSet[V]) add(shard string, v V) {
	set := setOrFile(shard)
	if s[set] == nil {
		s[set] = map[V]shardGroup{}
	}
	group := s[set][v]
	s[set][v] = shardGroup{group.n + 1, cmp.Or(group.first, shard)}
}

// warnings are about sets whose shards differ.
func (s *shardSets) warnings() []warning {
	all := append(s.codecs.warnings("different codecs: ", "; TensorFlow reads a set with one"), s.types.warnings("different messages: ", "")...)
	for _, set := range slices.Sorted(maps.Keys(s.empty)) {
		if s.types[set] != nil { // else no shard of the set has records
			group := s.empty[set][""]
			all = append(all, warning{File: jsonscan.Name(set), Message: fmt.Sprintf("%s without a record: %s", cli.Plural(int64(group.n), "shard"), group.first)})
		}
	}
	return all
}

func (s perSet[V]) warnings(before, after string) (all []warning) {
	for _, set := range slices.Sorted(maps.Keys(s)) {
		if len(s[set]) < 2 {
			continue
		}
		var parts []string
		for _, v := range slices.Sorted(maps.Keys(s[set])) {
			group := s[set][v]
			parts = append(parts, fmt.Sprintf("%v in %s (%s)", v, cli.Plural(int64(group.n), "shard"), group.first))
		}
		all = append(all, warning{File: jsonscan.Name(set), Message: before + strings.Join(parts, ", ") + after})
	}
	return all
}

// mixedKinds returns the features of more than one kind. A parser takes a feature for one kind, and fails at records with another.
func mixedKinds(g *groupTable) []summary.Feature {
	return slices.DeleteFunc(g.Features(), func(f summary.Feature) bool {
		kinds := 0
		for _, n := range f.Kinds {
			kinds += int(min(n, 1))
		}
		return kinds < 2
	})
}

// featureKinds is a feature of different kinds, as JSON has it.
type featureKinds struct {
	Part  *string         `json:"part"`
	Name  json.RawMessage `json:"name"`
	Kinds []firstOfKind   `json:"kinds"`
}

// firstOfKind is the first record that has a feature of a kind.
type firstOfKind struct {
	Kind    string        `json:"kind"`
	File    jsonscan.Name `json:"file"`
	Record  int64         `json:"record"`
	Address jsonscan.Name `json:"address"`
}

// mostMixed is how many features of a set have a warning of their own, unless all are wanted.
const mostMixed = 10

// kindWarnings are about features of different kinds, records without features, and features that were too many to compare.
func kindWarnings(tables []*groupTable, wanted bool) (all []warning) {
	for _, g := range tables {
		warn := func(format string, args ...any) {
			all = append(all, warning{File: jsonscan.Name(g.group), Message: fmt.Sprintf(format, args...)})
		}
		mixed := mixedKinds(g)
		for i, f := range mixed {
			if i == mostMixed && !wanted {
				warn("%s more of different kinds; --all lists them", cli.Plural(int64(len(mixed)-i), "feature"))
				break
			}
			all = append(all, kindWarning(g.group, f))
		}
		if g.Empty > 0 {
			warn("%s without features, the first %s", cli.Plural(g.Empty, "record"), scan.Address(g.NoneAt.File, g.NoneAt.Record))
		}
		if g.Omitted > 0 {
			warn("there are too many features to compare the kinds of all")
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
			address := scan.Address(first.File, first.Record)
			mixed.Kinds = append(mixed.Kinds, firstOfKind{name, jsonscan.Name(first.File), first.Record, jsonscan.Name(address)})
			places = append(places, name+" in "+address)
		}
	}
	path := example.PathTo(f.Part.String(), f.Name)
	return warning{jsonscan.Name(set), fmt.Sprintf("%v: different kinds: %s; a parser takes one", path, strings.Join(places, ", ")), mixed}
}

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

// setOrFile returns the name of the shard set of a file, or for other files their own name.
func setOrFile(file string) string {
	if shard, ok := scan.Files.ParseShard(file); ok {
		return shard.SetName()
	}
	return file
}

// setConsistency finds shard sets whose shards differ in codec or message type. A TFRecordDataset reads all files with one
// codec and fails at others, while this command detects the codec of each file.
type setConsistency struct {
	codecs shardProperties[tfrecord.Compression]
	types  shardProperties[string] // message types
	empty  shardProperties[string] // shards without records, with the value ""
}

// shardProperties groups shards by set name, and then by the value of a property.
type shardProperties[V cmp.Ordered] map[string]map[V]shardSubset

// A shardSubset is the shards of a set with one value of a property.
type shardSubset struct {
	n     int    // number of shards
	first string // file name of the first
}

// addFile adds a file that was read, if it is a shard.
func (s *setConsistency) addFile(f *fileSummary) {
	if s.types == nil {
		*s = setConsistency{shardProperties[tfrecord.Compression]{}, shardProperties[string]{}, shardProperties[string]{}}
	}
	name := string(f.Name)
	if _, ok := scan.Files.ParseShard(name); !ok {
		return
	}
	if f.Codec != tfrecord.Auto && f.Stored > 0 { // an empty file is valid with every codec
		s.codecs.addShard(name, f.Codec)
	}
	switch {
	case f.Type != "":
		s.types.addShard(name, f.Type)
	case f.Faults == 0 && f.Opened:
		s.empty.addShard(name, "")
	}
}

func (s shardProperties[V]) addShard(shard string, v V) {
	set := setOrFile(shard)
	if s[set] == nil {
		s[set] = map[V]shardSubset{}
	}
	group := s[set][v]
	s[set][v] = shardSubset{group.n + 1, cmp.Or(group.first, shard)}
}

// warnings returns a warning for each set whose shards differ.
func (s *setConsistency) warnings() []warning {
	all := append(s.codecs.warnings("different codecs: ", "; TensorFlow reads a set with one"), s.types.warnings("different messages: ", "")...)
	for _, set := range slices.Sorted(maps.Keys(s.empty)) {
		if s.types[set] != nil { // some shard of the set has records
			group := s.empty[set][""]
			all = append(all, warning{File: jsonscan.Name(set), Message: fmt.Sprintf("%s without a record: %s", cli.Plural(int64(group.n), "shard"), group.first)})
		}
	}
	return all
}

func (s shardProperties[V]) warnings(before, after string) (all []warning) {
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

// mixedKinds returns the features with more than one kind. A parser expects one kind and fails at records with another.
func mixedKinds(g *groupTable) []summary.Feature {
	return slices.DeleteFunc(g.Features(), func(f summary.Feature) bool {
		kinds := 0
		for _, n := range f.Kinds {
			kinds += int(min(n, 1))
		}
		return kinds < 2
	})
}

// featureKinds is the JSON output for a feature with different kinds.
type featureKinds struct {
	Part  *string         `json:"part"`
	Name  json.RawMessage `json:"name"`
	Kinds []kindExample   `json:"kinds"`
}

// A kindExample is the first record in which a feature has a kind.
type kindExample struct {
	Kind    string        `json:"kind"`
	File    jsonscan.Name `json:"file"`
	Record  int64         `json:"record"`
	Address jsonscan.Name `json:"address"`
}

// maxMixed limits the warnings about features with different kinds for one set, without --all.
const maxMixed = 10

// kindWarnings returns warnings about features with different kinds, records without features, and features beyond the limit
// of the table. listAll lifts maxMixed.
func kindWarnings(tables []*groupTable, listAll bool) (all []warning) {
	for _, g := range tables {
		warn := func(format string, args ...any) {
			all = append(all, warning{File: jsonscan.Name(g.group), Message: fmt.Sprintf(format, args...)})
		}
		mixed := mixedKinds(g)
		for i, f := range mixed {
			if i == maxMixed && !listAll {
				warn("%s more of different kinds; --all lists them", cli.Plural(int64(len(mixed)-i), "feature"))
				break
			}
			all = append(all, kindWarning(g.group, f))
		}
		if g.Empty > 0 {
			warn("%s without features, the first %s", cli.Plural(g.Empty, "record"), scan.Address(g.NoneAt.File, g.NoneAt.Record))
		}
		if g.Omitted > 0 {
			warn("too many features to compare the kinds of all")
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
			mixed.Kinds = append(mixed.Kinds, kindExample{name, jsonscan.Name(first.File), first.Record, jsonscan.Name(address)})
			places = append(places, name+" in "+address)
		}
	}
	path := example.PathTo(f.Part.String(), f.Name)
	return warning{jsonscan.Name(set), fmt.Sprintf("%v: different kinds: %s; a parser takes one", path, strings.Join(places, ", ")), mixed}
}

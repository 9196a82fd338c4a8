package files

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// setCodecs are the codecs of the shards of each set, by its name. A TFRecordDataset takes
// one codec for all of its files, and fails at shards of another one, while this
// command finds the codec of each.
type setCodecs = perSet[tfrecord.Compression]

// A perSet has, for each set by its name, what its shards have of something that all of them
// should have alike.
type perSet[V cmp.Ordered] map[string]map[V]*likeShards

// likeShards are the shards of a set that are alike.
type likeShards struct {
	n     int
	first string
}

// add notes what a file has, if it is a shard.
func (s perSet[V]) add(name string, v V) {
	shard, ok := scan.Files.ParseShard(name)
	if !ok {
		return
	}
	set := shard.Set()
	if s[set] == nil {
		s[set] = map[V]*likeShards{}
	}
	if s[set][v] == nil {
		s[set][v] = &likeShards{first: name}
	}
	s[set][v].n++
}

// addCodec notes the codec of a file. A file of no bytes has every codec.
func addCodec(s setCodecs, f *scan.OldFile) {
	if f.Codec != tfrecord.Auto && f.Stored > 0 {
		s.add(f.Name, f.Codec)
	}
}

// A warning is one about a file or a set that has no fault, as JSON has it.
type warning struct {
	File    jsonscan.Name `json:"file"`
	Message string        `json:"message"`
	Feature *featureKinds `json:"feature,omitempty"` // of different kinds
}

// warnings are those of sets whose shards are not alike. about has the beginning of the message, and why it matters.
func (s perSet[V]) warnings(about, why string) (all []warning) {
	for _, set := range slices.Sorted(maps.Keys(s)) {
		if len(s[set]) < 2 {
			continue
		}
		var parts []string
		for _, v := range slices.Sorted(maps.Keys(s[set])) {
			shards := s[set][v]
			parts = append(parts, fmt.Sprintf("%v in %s (%s)", v, cli.Plural(int64(shards.n), "shard"), shards.first))
		}
		all = append(all, warning{File: jsonscan.Name(set), Message: about + strings.Join(parts, ", ") + why})
	}
	return all
}

// codecWarnings are those of sets with several codecs.
func codecWarnings(s setCodecs) []warning {
	return s.warnings("different codecs: ", "; TensorFlow reads a set with one")
}

// printWarnings prints warnings, and adds them to a report in JSON if there are any.
func printWarnings(c *console.Console, out *cli.Output, format cli.Format, all []warning) {
	for _, w := range all {
		c.Print(fmt.Sprintf("%s: %s", w.File, w.Message))
	}
	if format == cli.FormatJSON && len(all) > 0 {
		out.Buf = cli.AppendJSON(append(out.Buf, `,"warnings":`...), all)
	}
}

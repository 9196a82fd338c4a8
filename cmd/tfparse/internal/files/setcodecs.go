package files

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// setCodecs are the codecs of the shards of each set, by its name. A TFRecordDataset takes
// one codec for all of its files, and fails at shards of another one, while this
// command finds the codec of each.
type setCodecs map[string]map[tfrecord.Compression]*codecShards

// codecShards are the shards of a set that have one codec.
type codecShards struct {
	n     int
	first string
}

// add notes the codec of a file, if it is a shard. A file of no bytes has every codec.
func (s setCodecs) add(f *recordscan.File) {
	shard, ok := reading.Files.ParseShard(f.Name)
	if !ok || f.Codec == tfrecord.Auto || f.Stored == 0 {
		return
	}
	set := shard.Set()
	if s[set] == nil {
		s[set] = map[tfrecord.Compression]*codecShards{}
	}
	if s[set][f.Codec] == nil {
		s[set][f.Codec] = &codecShards{first: f.Name}
	}
	s[set][f.Codec].n++
}

// A warning is one about a file or a set that has no fault, as JSON has it.
type warning struct {
	File    recordjson.Name `json:"file"`
	Message string          `json:"message"`
}

// warnings are those of sets with several codecs.
func (s setCodecs) warnings() (all []warning) {
	for _, set := range slices.Sorted(maps.Keys(s)) {
		if len(s[set]) < 2 {
			continue
		}
		var parts []string
		for _, codec := range slices.Sorted(maps.Keys(s[set])) {
			shards := s[set][codec]
			parts = append(parts, fmt.Sprintf("%v in %s (%s)", codec, cli.Plural(int64(shards.n), "shard"), shards.first))
		}
		all = append(all, warning{recordjson.Name(set), "different codecs: " + strings.Join(parts, ", ") + "; TensorFlow reads a set with one"})
	}
	return all
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

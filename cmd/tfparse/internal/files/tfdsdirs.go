package files

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A tfdsDir is a directory written by TensorFlow Datasets. Its dataset_info.json describes the shards.
type tfdsDir struct {
	dir  string     // path of the directory, as storage.Clean returns it
	file string     // dataset_info.json
	info *tfds.Info // content of file; not usable if err is not nil
	err  error      // why info cannot be used

	splits  [][]*tfdsShard // shards by split
	surplus []string       // files that belong to no split
}

// A tfdsShard is a file of a tfdsDir.
type tfdsShard struct {
	name           string
	records        int64 // count in dataset_info.json, else the count read; -1: not known yet
	exists         bool
	intact         bool  // it was read without a fault
	payload, bytes int64 // total size of its payloads; size of the file
}

// tfdsSets are the directories of TensorFlow Datasets among the arguments.
type tfdsSets struct {
	dirs  []*tfdsDir
	files map[string]*tfdsShard // all shards by file name
}

// findTFDS finds directories of TensorFlow Datasets among the arguments, and adds their shards in subdirectories to the
// inputs.
func findTFDS(args []string, in []scan.Input) (tfdsSets, []scan.Input) {
	s := tfdsSets{files: map[string]*tfdsShard{}}
	for _, arg := range args {
		file, ok := scan.Beside(scan.VersionDir(arg), tfds.InfoFile)
		if !ok {
			continue
		}
		d := &tfdsDir{dir: storage.Dir(file), file: file}
		s.dirs = append(s.dirs, d)
		if d.info, d.err = scan.ReadInfo(d.dir); d.err == nil {
			in = s.addDir(d, in)
		}
	}
	return s, in
}

// addDir adds the shards of a directory.
func (s *tfdsSets) addDir(d *tfdsDir, in []scan.Input) []scan.Input {
	given := map[string]bool{}
	for _, i := range in {
		given[i.Name] = true
	}
	for _, split := range d.info.Splits {
		var shards []*tfdsShard
		for i, file := range split.Files {
			shard := &tfdsShard{name: storage.Join(d.dir, filepath.FromSlash(file)), records: -1, exists: true}
			if split.Records != nil {
				shard.records = split.Records[i]
			}
			shards = append(shards, shard)
			s.files[shard.name] = shard
			if given[shard.name] {
				continue
			}
			if _, err := storage.Stat(shard.name); err != nil {
				shard.exists = false
				continue
			}
			in = slices.DeleteFunc(in, func(i scan.Input) bool { return i.Err != nil && storage.Clean(i.Name) == d.dir })
			in = append(in, scan.Input{Name: shard.name})
		}
		d.splits = append(d.splits, shards)
	}
	for _, i := range in {
		if i.Err == nil && storage.Dir(i.Name) == d.dir && s.files[i.Name] == nil {
			d.surplus = append(d.surplus, filepath.Base(i.Name))
		}
	}
	return in
}

// checkShard compares a file without faults with dataset_info.json.
func (c *verify) checkShard(f *fileSummary) error {
	shard := c.tfds.files[string(f.Name)]
	if shard == nil || f.Faults > 0 || !f.Opened {
		return nil
	}
	switch {
	case shard.records >= 0 && f.Records != shard.records:
		return c.addSetFault(f, scan.ClassInfo, fmt.Errorf("want %s, as %s says, got %d", cli.Plural(shard.records, "record"), tfds.InfoFile, f.Records))
	case f.Codec != tfrecord.None && f.Codec != tfrecord.Auto && f.Stored > 0:
		return c.addSetFault(f, scan.ClassInfo, fmt.Errorf("the file is compressed (%v); TensorFlow Datasets reads uncompressed files only", f.Codec))
	}
	shard.intact, shard.records = true, f.Records
	shard.payload, shard.bytes = f.Bytes-f.Records*(tfrecord.HeaderSize+tfrecord.FooterSize), f.Stored
	return nil
}

// checkTFDS compares the totals of each directory with its dataset_info.json.
func (c *verify) checkTFDS(e *cli.Env) error {
	for _, d := range c.tfds.dirs {
		dir := newSummary(d.file)
		c.report.beginEntry(d.file)
		records, shards, bad := int64(0), int64(0), int64(0)
		for i, split := range d.splits {
			there := 0
			for _, shard := range split {
				if shard.exists {
					there++
					records += max(shard.records, 0)
					if !shard.intact {
						bad++
					}
				}
			}
			shards += int64(there)
			if missing := d.missingShards(i); missing != "" && c.reading.AllowMissing && !c.partialSet {
				e.Raise(cli.ExitSkipped)
				if there == 0 { // an incomplete set has a warning of its own
					e.Console.Print(d.file + ": " + missing + "; reading the others")
				}
			}
		}
		for _, err := range d.faults(!c.partialSet && !c.reading.AllowMissing) {
			if err := c.addSetFault(dir, scan.ClassInfo, err); err != nil {
				return err
			}
		}
		switch {
		case dir.Faults > 0:
			c.faultySets++
		case c.report.format == verifyText && bad > 0: // the faults of these shards have lines of their own
			c.report.out.Line("%s: %d of %s with faults", console.OneLine(d.file), bad, cli.Plural(shards, "shard"))
		case c.report.format == verifyText:
			c.report.out.Line("%s: ok: %s of %s, %s", console.OneLine(d.file), cli.Plural(int64(len(d.splits)), "split"), cli.Plural(shards, "shard"), cli.Plural(records, "record"))
		}
		c.report.endEntry(dir)
	}
	return nil
}

// missingShards describes the missing shards of a split; "" if none is missing.
func (d *tfdsDir) missingShards(split int) string {
	var names []string
	for _, shard := range d.splits[split] {
		if !shard.exists {
			names = append(names, filepath.Base(shard.name))
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("split %s: %d of %s missing: %s", d.info.Splits[split].Name, len(names), cli.Plural(int64(len(d.splits[split])), "shard"), firstNames(names))
}

// faults returns the faults of a directory as a whole. missing includes missing shards.
func (d *tfdsDir) faults(missing bool) (faults []error) {
	if d.err != nil {
		return []error{d.err}
	}
	add := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for i, shards := range d.splits {
		split := d.info.Splits[i]
		if len(shards) == 0 && split.Bytes > 0 {
			add("split %s: no shardLengths to check its files by", split.Name)
		}
		records, payload, bytes, intact := int64(0), int64(0), int64(0), len(shards) > 0
		for _, shard := range shards {
			intact = intact && shard.intact
			records, payload, bytes = records+shard.records, payload+shard.payload, bytes+shard.bytes
		}
		if text := d.missingShards(i); text != "" && missing {
			add("%s", text)
		}
		switch {
		case !intact:
		case split.Total >= 0 && split.Total != records:
			add("split %s: want %s, got %d", split.Name, cli.Plural(split.Total, "record"), records)
		case (split.Records != nil || split.Bytes > 0) && split.Bytes != payload && split.Bytes != bytes:
			add("split %s: want %d bytes of records, got %d", split.Name, split.Bytes, payload)
		}
	}
	if n := len(d.surplus); n > 0 {
		add("%s in no split: %s", cli.Plural(int64(n), "file"), firstNames(d.surplus))
	}
	return faults
}

// firstNames lists the first names and the number of the others.
func firstNames(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// A tfdsReport describes a directory in the report of info.
type tfdsReport struct {
	Dir      jsonscan.Name `json:"dir"`
	Name     string        `json:"name"` // with the config and the version, as toy/1.0.0
	Splits   []tfdsSplit   `json:"splits"`
	Features *string       `json:"features"` // as TensorFlow Datasets prints them; nil without features.json
}

// A tfdsSplit describes a split.
type tfdsSplit struct {
	Name     string `json:"name"`
	Examples *int64 `json:"examples"` // nil if early metadata lacks them
	Shards   int    `json:"shards"`
	Bytes    int64  `json:"bytes"` // of all records; 0 if unknown
}

// describeTFDS describes the directories of TensorFlow Datasets among the arguments. It warns about metadata that cannot be used.
func describeTFDS(e *cli.Env, args []string) (all []tfdsReport) {
	for _, dir := range scan.Datasets(args) {
		info, err := scan.ReadInfo(dir)
		if err != nil {
			e.Console.Print(scan.Named(storage.Join(dir, tfds.InfoFile), err).Error())
			continue
		}
		r := tfdsReport{Dir: jsonscan.Name(dir), Name: path.Join(info.Name, info.Config, info.Version), Splits: []tfdsSplit{}}
		for _, s := range info.Splits {
			r.Splits = append(r.Splits, tfdsSplit{s.Name, cli.Known(s.Total, s.Total >= 0), len(s.Files), s.Bytes})
		}
		slices.SortFunc(r.Splits, func(a, b tfdsSplit) int { return strings.Compare(a.Name, b.Name) })
		if file, ok := scan.Beside(dir, tfds.FeaturesFile); ok {
			b, err := scan.ReadNamed(file)
			var tree string
			if err == nil {
				tree, err = tfds.Tree(b)
			}
			if r.Features = &tree; err != nil {
				r.Features = nil
				e.Console.Print(scan.Named(file, scan.WithoutFile(err)).Error())
			}
		}
		all = append(all, r)
	}
	return all
}

// print writes the text output.
func (r *tfdsReport) print(out *cli.Output) {
	fmt.Fprintf(out, "%s\n", console.OneLine(r.Name))
	var t cli.Table
	t.Row("SPLIT", "EXAMPLES", "SHARDS", "BYTES")
	for _, s := range r.Splits {
		examples := any(unknownType)
		if s.Examples != nil {
			examples = *s.Examples
		}
		t.Row(console.OneLine(s.Name), examples, s.Shards, s.Bytes)
	}
	out.Buf = t.AppendTo(out.Buf)
	if r.Features != nil {
		for line := range strings.SplitSeq(*r.Features, "\n") {
			fmt.Fprintf(out, "%s\n", console.OneLine(line))
		}
	}
	fmt.Fprintln(out)
}

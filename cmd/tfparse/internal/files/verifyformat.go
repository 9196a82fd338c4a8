package files

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/storage"
)

// A verifyForm is how the report of verify is printed.
type verifyForm uint8

const (
	verifyText verifyForm = iota
	verifyJSON
	verifyJUnit  // XML that CI systems read
	verifyGitHub // annotations of GitHub Actions
)

var verifyForms = []string{"text", "json", "junit", "github"}

func (f verifyForm) MarshalText() ([]byte, error)     { return []byte(verifyForms[f]), nil }
func (f *verifyForm) UnmarshalText(text []byte) error { return cli.SetName(f, verifyForms, text) }

// annotateFault adds a fault to a report for CI systems.
func (c *verify) annotateFault(f *scan.Fault) {
	text := console.OneLine(strings.TrimPrefix(f.Error(), f.File+": "))
	if c.format == verifyGitHub {
		c.out.Buf = cli.AppendGitHub(c.out.Buf, "error", f.File, f.Class, text)
		return
	}
	last := &c.cases[len(c.cases)-1]
	last.Outcomes = append(last.Outcomes, cli.Failure(f.Class, text))
}

// annotate ends a report for CI systems. total sums it up.
func (c *verify) annotate(warnings []warning, total string) {
	for _, w := range warnings {
		if c.format == verifyGitHub {
			c.out.Buf = cli.AppendGitHub(c.out.Buf, "warning", string(w.File), "", w.Message)
		} else {
			c.cases = append(c.cases, cli.TestCase{Name: console.OneLine(string(w.File)), Class: "tfrecord", Outcomes: []cli.Outcome{cli.Warned("warning", w.Message)}})
		}
	}
	switch c.format {
	case verifyGitHub:
		c.out.Buf = fmt.Appendf(c.out.Buf, "::notice title=tfparse verify::%s\n", total)
	case verifyJUnit:
		c.out.Buf = cli.AppendJUnit(c.out.Buf, "tfparse verify", c.cases)
	}
}

// givenTwice returns warnings about files that are given more than once, under one name.
func givenTwice(in []scan.Input) (all []warning) {
	times := map[string]int64{}
	for _, i := range in {
		name := storage.Clean(i.Name)
		if times[name]++; times[name] == 2 {
			all = append(all, warning{File: jsonscan.Name(i.Name)})
		}
	}
	for i := range all {
		all[i].Message = fmt.Sprintf("the file is given %d times, and its records are counted each time", times[storage.Clean(string(all[i].File))])
	}
	return all
}

// noteShard notes what a shard holds, to compare it with the others of its set.
func (c *verify) noteShard(f *scan.OldFile) {
	switch {
	case c.summary.Type != nil:
		c.types.add(f.Name, *c.summary.Type)
	case c.found == 0 && f.Opened:
		c.empty = append(c.empty, f.Name)
	}
}

// warnings are those of sets whose shards are not alike.
func (c *verify) warnings() []warning {
	all := append(slices.Clone(c.twice), codecWarnings(c.codecs)...)
	all = append(all, c.types.warnings("different messages: ", "")...)
	empty := map[string][]string{}
	var sets []string
	for _, name := range c.empty {
		shard, ok := scan.Files.ParseShard(name)
		if !ok || c.types[shard.Set()] == nil { // a set without records has no odd shards
			continue
		}
		if empty[shard.Set()] == nil {
			sets = append(sets, shard.Set())
		}
		empty[shard.Set()] = append(empty[shard.Set()], name)
	}
	for _, set := range sets {
		names := empty[set]
		all = append(all, warning{File: jsonscan.Name(set), Message: fmt.Sprintf("%s without a record: %s", cli.Plural(int64(len(names)), "shard"), names[0])})
	}
	return append(all, c.kinds.warnings(c.all)...)
}

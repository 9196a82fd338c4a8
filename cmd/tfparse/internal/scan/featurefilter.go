package scan

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/namelist"
)

// A FeatureFilter holds --select and --drop, the features that a verb uses.
type FeatureFilter struct {
	selected, dropped cli.NameList
}

// Add defines the flags. verb is the word for the use of the selected features in help, such as "print".
func (f *FeatureFilter) Add(fs *pflag.FlagSet, verb string) {
	cli.FeaturesVar(fs, &f.selected, "select", verb+" these `FEATURES` only, as a,b*,-c; repeatable")
	f.AddDrop(fs, "leave out these `FEATURES`, as a,b*; repeatable")
}

// AddDrop defines --drop alone.
func (f *FeatureFilter) AddDrop(fs *pflag.FlagSet, usage string) {
	cli.FeaturesVar(fs, &f.dropped, "drop", usage)
}

// Given reports whether one of the flags is given.
func (f *FeatureFilter) Given() bool { return len(f.selected)+len(f.dropped) > 0 }

// List returns the list of selected features; nil without the flags. names are the known features of the data: an item
// that is one of them is a name, even if it looks like a pattern.
func (f *FeatureFilter) List(names map[string]bool) (*namelist.List, error) {
	if !f.Given() {
		return nil, nil
	}
	for flag, texts := range map[string]cli.NameList{"select": f.selected, "drop": f.dropped} {
		if _, err := texts.Names(flag); err != nil {
			return nil, err
		}
	}
	texts := namelist.Resolve(f.selected, names)
	for _, text := range namelist.Resolve(f.dropped, names) {
		texts = append(texts, "-"+text)
	}
	list, err := namelist.Parse(texts)
	if err != nil {
		return nil, cli.Usagef("--select: %v", err)
	}
	return list, nil
}

// FilterFeatures returns the list of selected features for the inputs; nil without the flags. It reads the first
// records of the files only if an item may be a pattern or a name.
func (r *Flags) FilterFeatures(e *cli.Env, in []Input, f *FeatureFilter) (*namelist.List, error) {
	var names map[string]bool
	if namelist.Ambiguous(f.selected) || namelist.Ambiguous(f.dropped) {
		names = r.firstNames(e, in)
	}
	return f.List(names)
}

// firstNames returns the feature names in the first records of the inputs that can be read twice. It ignores faults,
// which are reported when the inputs are read.
func (r *Flags) firstNames(e *cli.Env, in []Input) map[string]bool {
	names := map[string]bool{}
	in = slices.DeleteFunc(slices.Clone(in), func(i Input) bool { return !i.Regular() })
	quiet := *r
	quiet.Skip, quiet.limited, quiet.expression, quiet.progress = 0, nil, nil, cli.WhenNever
	src, err := quiet.Open(e, in, &Options{Fault: func(*Fault) error { return nil }})
	if err != nil {
		return names
	}
	defer src.Close()
	left := suggestRecords
	src.First(4<<20, func(rec Record) bool {
		eachName(rec.Type, rec.Bytes, func(_ int, name []byte) { names[string(name)] = true })
		left--
		return left > 0
	})
	for _, i := range in {
		if i.Table != nil {
			for _, name := range i.Table.Columns() {
				names[name] = true
			}
		}
	}
	return names
}

// eachName calls yield for each feature name in a message. part is 0 for the context, and 1 for feature lists and
// examples. For a message that does not decode it yields the names before the fault.
func eachName(t example.MessageType, rec []byte, yield func(part int, name []byte)) {
	features := func(part int, s example.Scanner) {
		for s.Next() {
			yield(part, s.Name())
		}
	}
	switch t {
	case example.TypeExample:
		features(0, example.TypeExample.Scan(rec))
	case example.TypeSequence:
		features(0, example.TypeSequence.Scan(rec))
		for scan := example.ScanFeatureLists(rec); scan.Next(); {
			yield(1, scan.Name())
		}
	case example.TypeExampleList:
		scan := example.ScanExamples(rec)
		for scan.Next() {
			features(1, example.TypeExample.Scan(scan.Example()))
		}
		if context, ok := scan.Context(); ok {
			features(0, example.TypeExample.Scan(context))
		}
	}
}

// FlagOf returns the flag that an item belongs to. --select -a is the same as --drop a.
func FlagOf(item *namelist.Item) string {
	if item.Drop {
		return "--drop"
	}
	return "--select"
}

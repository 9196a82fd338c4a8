package statsource

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/storage"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// A Source is a data set that arguments name: records, statistics, which may be shards, or the outputs
// of stats --partial; or a slice of one of these.
type Source struct {
	Inputs     []scan.Input
	Slice      string                           // after "?slice="; "" is all of the data
	Statistics *pb.DatasetFeatureStatisticsList // those of the slice, if there is one; nil until they are read or made
	Details    *stats.Details                   // of Statistics; nil if these were read, but from JSON

	Merged *partial.Parts // that were merged; nil if Inputs are not parts

	parts *partsError // Inputs are parts
}

// Files returns the files that the statistics are of, for pages: those that the parts are of, if Inputs are parts.
func (s *Source) Files() scan.FileSet {
	if s.Merged != nil {
		return s.Merged.FileSet
	}
	return scan.FileSetOf(s.Inputs)
}

// Expand returns the files that arguments name, as [scan.Flags.Expand] does, and the slice that
// all arguments are to be of: FILE?slice=FEATURE=VALUE, or the name of a slice of statistics.
func Expand(e *cli.Env, r *scan.Flags, args []string) (s Source, err error) {
	files := make([]string, len(args))
	for i, arg := range args {
		file, slice := CutSlice(arg)
		if slice == "" && file != arg {
			return s, cli.Usagef("%s: want ?slice=FEATURE=VALUE, or the name of a slice of statistics", arg)
		}
		if i > 0 && slice != s.Slice {
			return s, cli.Usagef("%s and %s: the arguments are one data set, and so are of one slice", args[0], arg)
		}
		files[i], s.Slice = file, slice
	}
	s.Inputs, err = r.Expand(e, files)
	return s, err
}

// Read reads the statistics if the inputs are some. Those of JSON come with Details. Otherwise Statistics are nil, and
// Gather makes them. What the first input begins with is read to see what it is, and put back where it
// holds records or parts.
func (s *Source) Read(e *cli.Env) (err error) {
	in := s.Inputs
	switch {
	case len(in) == 1 && (in[0].Table != nil || in[0].Err != nil): // reading records will fail with the reason
		return nil
	case len(in) == 1:
		s.Statistics, s.Details, err = readOne(e, &in[0])
	default:
		s.Statistics, err = readShards(in)
	}
	if parts, ok := errors.AsType[*partsError](err); ok {
		s.parts, err = parts, nil
	}
	if len(s.Statistics.GetDatasets()) == 0 {
		s.Statistics = nil // an empty file has no records
	}
	if err != nil || s.Statistics == nil || s.Slice == "" {
		return err
	}
	return s.Pick(s.Statistics, nil)
}

// NoParts is an error if the inputs are what stats --partial wrote.
func (s *Source) NoParts() error {
	if s.parts == nil {
		return nil
	}
	return s.parts
}

// Add adds the slice, if there is one, to those that statistics of records are made of.
func (s *Source) Add(o *stats.Options) error {
	if s.Slice == "" {
		return nil
	}
	one, err := ParseSlice(s.Slice, false)
	if err != nil {
		return cli.Usagef("?slice=%s: want ?slice=FEATURE=VALUE, and commas between several", s.Slice)
	}
	o.Slices = append(slices.Clone(o.Slices), one)
	return nil
}

// ParseSlice reads FEATURE=VALUE,..., and FEATURE without a value, which is a slice for each value, where that is allowed.
func ParseSlice(text string, any bool) (stats.Slice, error) {
	one := stats.Slice{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		switch {
		case name == "":
			return nil, errors.New("a feature without a name")
		case ok:
			one[name] = append(one[name], value)
		case !any:
			return nil, errors.New("a feature without a value")
		default:
			one[name] = nil
		}
	}
	return one, nil
}

// Pick keeps of statistics those of the slice; all, if there is none. They were made, unless that is nil.
func (s *Source) Pick(list *pb.DatasetFeatureStatisticsList, made *stats.Accumulator) error {
	s.Statistics = list
	if s.Slice == "" {
		return nil
	}
	names := []string{s.Slice}
	if strings.Contains(s.Slice, "=") { // as a name in statistics
		parts := strings.Split(s.Slice, ",")
		slices.Sort(parts)
		names = append(names, strings.ReplaceAll(strings.Join(parts, "_"), "=", "_"))
	}
	var known []string
	for _, d := range list.GetDatasets() {
		if slices.Contains(names, d.GetName()) {
			s.Statistics = &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{d}}
			return nil
		}
		known = append(known, d.GetName())
	}
	if one, err := ParseSlice(s.Slice, false); made != nil && err == nil {
		text, missing := NoSlice(made, one, "?slice=")
		if text = s.Inputs[0].Name + ": " + text; missing {
			return cli.UsageErrors([]string{text})
		}
		return errors.New(text)
	}
	if len(known) > 10 {
		known = append(known[:10], "...")
	}
	return fmt.Errorf("%s: there is no slice %q; it has %q", s.Inputs[0].Name, s.Slice, known)
}

// Gather makes the statistics of a source that is records or parts, and leaves those that it has.
func (g *Gatherer) Gather(s *Source, typ example.MessageType) (err error) {
	if s.Statistics != nil {
		return nil
	}
	if s.parts != nil {
		if s.Merged, err = partial.Open(g.Env, g.Reading, s.Inputs, nil, Verbs...); err == nil {
			err = g.ReadParts(s.Merged)
		}
	} else if err = s.Add(&g.Options); err == nil {
		err = g.Read(s.Inputs, typ)
	}
	if err != nil {
		return err
	}
	if g.Result == nil || g.Result.Examples() == 0 && g.Env.Skipped.Any() { // CSV has statistics before its first row
		if g.only != "" {
			return fmt.Errorf("%s: %w", g.only, errNoRecords)
		}
		return errNoRecords
	}
	Conflicts(g.Env, g.Result, &g.All.Addresses, g.Conflicting)
	Caveats(g.Env, g.Result)
	list, details, err := g.Result.Detailed(max(g.Jobs, 1))
	if err != nil {
		return err
	}
	s.Details = details
	return s.Pick(list, g.Result)
}

// errNoRecords means that there is nothing to describe.
var errNoRecords = errors.New("no records to look at")

// Source returns the data set that one argument names, with its statistics.
func (g *Gatherer) Source(arg string, typ example.MessageType) (Source, error) {
	s, err := Expand(g.Env, g.Reading, []string{arg})
	if err == nil {
		err = s.Read(g.Env)
	}
	if err == nil {
		err = g.Gather(&s, typ)
	}
	return s, err
}

// CutSlice takes the slice from the end of an argument; it is empty without one. A file with that name wins, but not a
// URL: servers ignore a query that they do not know.
func CutSlice(arg string) (file, slice string) {
	file, slice, ok := strings.Cut(arg, "?slice=")
	if !ok || !storage.IsURL(arg) && storage.Exists(arg) {
		return arg, ""
	}
	return file, slice
}

// readShards reads statistics from several files: nil if all of them are something else. In a store only the first is looked at, and stays
// open: each look would cost what a server sends ahead.
func readShards(in []scan.Input) (*pb.DatasetFeatureStatisticsList, error) {
	var r fileReader
	var all union
	first, other := "", "" // files that are statistics, and are not
	var failed error       // to read other
	for n, i := range in {
		list, err := (*pb.DatasetFeatureStatisticsList)(nil), i.Err
		if i.Table != nil || err == nil && !scan.ReadTwice([]scan.Input{i}) {
			err = errNone // it is CSV, or a stream beside other files
		} else if err == nil {
			var open *scan.Stream
			if list, open, err = r.read(i.Name); open != nil && storage.Remote(i.Name) && first == "" && !errors.Is(err, errPart) {
				in[n].Stream = open
				return nil, nil
			} else if open != nil {
				open.Close()
			}
		}
		_, unreadable := errors.AsType[*fs.PathError](err)
		switch {
		case errors.Is(err, errPart):
			return nil, &partsError{i.Name}
		case errors.Is(err, errNone):
			other = i.Name
		case i.Err != nil, unreadable:
			other, failed = i.Name, scan.Named(i.Name, err)
		case err != nil:
			return nil, scan.Named(i.Name, err)
		default:
			if first == "" {
				first = i.Name
			}
			if err := all.add(list); err != nil {
				return nil, notOneDataSet(i.Name, len(in), err)
			}
		}
		switch {
		case first == "" || other == "":
		case failed != nil:
			return nil, failed
		default:
			return nil, cli.Usagef("%s is statistics, which are taken alone or as the shards of one data set, and %s is not; what tfparse stats writes with --partial can be put together", first, other)
		}
	}
	if first == "" {
		return nil, nil
	}
	return &all.list, nil
}

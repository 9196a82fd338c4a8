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

// A Source is a data set that arguments name: records, statistics, or outputs of stats --partial. Slice restricts it to
// a slice.
type Source struct {
	Inputs     []scan.Input                     // the files; several files of statistics are shards
	Slice      string                           // the text after "?slice="; "" for all examples
	Statistics *pb.DatasetFeatureStatisticsList // of the slice, if one is named; nil until they are read or computed
	Details    *stats.Details                   // of Statistics; nil if these were read from another form than JSON

	Merged *partial.Parts // the outputs of --partial that were merged; nil for other inputs

	parts *partsError // not nil if Inputs are outputs of --partial
}

// Files returns the files that the statistics describe, for reports.
func (s *Source) Files() scan.FileSet {
	if s.Merged != nil {
		return s.Merged.FileSet
	}
	return scan.FileSetOf(s.Inputs)
}

// Expand returns the source that arguments name. It looks up files as [scan.Flags.Expand] does. All arguments must have
// the same slice: FILE?slice=FEATURE=VALUE, or the name of a slice of statistics.
func Expand(e *cli.Env, r *scan.Flags, args []string) (s Source, err error) {
	files := make([]string, len(args))
	for i, arg := range args {
		file, slice := CutSlice(arg)
		if slice == "" && file != arg {
			return s, cli.Usagef("%s: want ?slice=FEATURE=VALUE, or the name of a slice of statistics", arg)
		}
		if i > 0 && slice != s.Slice {
			return s, cli.Usagef("%s and %s: all arguments must name the same slice", args[0], arg)
		}
		files[i], s.Slice = file, slice
	}
	s.Inputs, err = r.Expand(e, files)
	return s, err
}

// Read reads the statistics if the inputs are files of statistics. It leaves Statistics nil for records and outputs of
// --partial, which [Gatherer.Gather] reads from their beginning.
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
	return s.SetStatistics(s.Statistics, nil)
}

// NoParts returns an error if the inputs are outputs of stats --partial.
func (s *Source) NoParts() error {
	if s.parts == nil {
		return nil
	}
	return s.parts
}

// Add adds the slice of the source, if any, to the slices that statistics are computed for.
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

// ParseSlice parses FEATURE=VALUE,... as a slice. If any is set it also accepts FEATURE without a value, for a slice
// per value.
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

// SetStatistics sets Statistics to the data set of the slice, or to list without a slice. computed is the accumulator
// of list; nil if list was read from a file.
func (s *Source) SetStatistics(list *pb.DatasetFeatureStatisticsList, computed *stats.Accumulator) error {
	s.Statistics = list
	if s.Slice == "" {
		return nil
	}
	names := []string{s.Slice}
	if strings.Contains(s.Slice, "=") { // TFDV's name of the slice in statistics
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
	if one, err := ParseSlice(s.Slice, false); computed != nil && err == nil {
		text, missing := NoSlice(computed, one, "?slice=")
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

// Gather computes the statistics of a source of records or outputs of --partial. It does nothing if the source has
// statistics.
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
	if g.Result == nil || g.Result.Examples() == 0 && g.Env.Skipped.Any() { // CSV without rows has statistics too
		if g.onlyInput != "" {
			return fmt.Errorf("%s: %w", g.onlyInput, errNoRecords)
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
	return s.SetStatistics(list, g.Result)
}

// errNoRecords means that no record was described.
var errNoRecords = errors.New("no records to look at")

// Source returns the source that one argument names, with its statistics.
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

// CutSlice splits an argument into the file and the slice, which may be "". An existing file whose name has "?slice="
// is not split. URLs are always split, since servers ignore unknown queries.
func CutSlice(arg string) (file, slice string) {
	file, slice, ok := strings.Cut(arg, "?slice=")
	if !ok || !storage.IsURL(arg) && storage.Exists(arg) {
		return arg, ""
	}
	return file, slice
}

// readShards reads statistics from several files, and merges them. It returns nil if no file has statistics. In an
// object store it reads the first file only, which stays open, because a server sends data ahead of each inspection.
func readShards(in []scan.Input) (*pb.DatasetFeatureStatisticsList, error) {
	var r fileReader
	var all shardMerger
	first, other := "", "" // a file with statistics; a file without
	var failed error       // the error of reading other, if any
	for n, i := range in {
		list, err := (*pb.DatasetFeatureStatisticsList)(nil), i.Err
		if i.Table != nil || err == nil && !scan.ReadTwice([]scan.Input{i}) {
			err = errNotStatistics // CSV, or a stream beside other files
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
		case errors.Is(err, errNotStatistics):
			other = i.Name
		case i.Err != nil, unreadable:
			other, failed = i.Name, scan.Named(i.Name, err)
		case err != nil:
			return nil, scan.Named(i.Name, err)
		default:
			if first == "" {
				first = i.Name
			}
			if err := all.addShard(list); err != nil {
				return nil, notOneDataSet(i.Name, len(in), err)
			}
		}
		switch {
		case first == "" || other == "":
		case failed != nil:
			return nil, failed
		default:
			return nil, cli.Usagef("%s: statistics cannot be mixed with %s, which is not statistics", first, other)
		}
	}
	if first == "" {
		return nil, nil
	}
	return &all.list, nil
}

package statsource

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/reading"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/storage"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// A Side is one of the data sets that are compared.
type Side struct {
	Inputs     []recordscan.Input
	Statistics *pb.DatasetFeatureStatisticsList
	Details    *stats.Details // nil of what was statistics before
}

// Side returns the statistics of an argument, whatever it is: statistics, also in the shards of a set, the
// outputs of stats --partial, or files of records. Of "FILE?slice=FEATURE=VALUE", and of
// "FILE?slice=NAME" if FILE is no records, they are those of a slice.
func (g *Gatherer) Side(arg string, typ example.MessageType) (s Side, err error) {
	file, slice := CutSlice(arg)
	if s.Inputs, err = g.Reading.Expand(g.Env, []string{file}); err != nil {
		return s, err
	}
	if s.Statistics, err = shardsOfStatistics(s.Inputs); err == nil && s.Statistics == nil {
		s.Statistics, _, err = Given(g.Env, s.Inputs)
	}
	_, parts := errors.AsType[*partsError](err)
	switch {
	case parts:
		if err = g.Reading.Walk(g.Env, s.Inputs, nil, &PartReader{g}); err == nil {
			s.Statistics, s.Details, err = g.finish()
		}
	case err == nil && len(s.Statistics.GetDatasets()) == 0:
		if slice != "" {
			one, err := sliceOf(slice)
			if err != nil {
				return s, err
			}
			g.Options.Slices = append(g.Options.Slices, one)
		}
		s.Statistics, s.Details, err = g.Gather(s.Inputs, typ)
	}
	if err == errNoRecords {
		err = fmt.Errorf("%s: %w", file, err)
	}
	if err != nil || slice == "" {
		return s, err
	}
	s.Statistics, err = pick(s.Statistics, slice)
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return s, err
}

// CutSlice takes the slice from the end of an argument; it is empty without one. A file with that name wins.
func CutSlice(arg string) (file, slice string) {
	file, slice, ok := strings.Cut(arg, "?slice=")
	if !ok || storage.Exists(arg) {
		return arg, ""
	}
	return file, slice
}

// sliceOf reads FEATURE=VALUE,... .
func sliceOf(text string) (stats.Slice, error) {
	s := stats.Slice{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			return nil, cli.Usagef("?slice=%s: want ?slice=FEATURE=VALUE, and commas between several", text)
		}
		s[name] = append(s[name], value)
	}
	return s, nil
}

// pick returns the statistics of a slice alone.
func pick(list *pb.DatasetFeatureStatisticsList, slice string) (*pb.DatasetFeatureStatisticsList, error) {
	names := []string{slice}
	if strings.Contains(slice, "=") { // as a name in statistics
		parts := strings.Split(slice, ",")
		slices.Sort(parts)
		names = append(names, strings.ReplaceAll(strings.Join(parts, "_"), "=", "_"))
	}
	var known []string
	for _, d := range list.GetDatasets() {
		if slices.Contains(names, d.GetName()) {
			return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{d}}, nil
		}
		known = append(known, d.GetName())
	}
	if len(known) > 10 {
		known = append(known[:10], "...")
	}
	return nil, fmt.Errorf("there is no slice %q; it has %q", slice, known)
}

// shardsOfStatistics reads statistics that are in several files, as Beam writes them: nil if
// there is one file, or the first is no statistics.
func shardsOfStatistics(in []recordscan.Input) (*pb.DatasetFeatureStatisticsList, error) {
	if len(in) < 2 || !reading.ReadTwice(in) {
		return nil, nil
	}
	var r fileReader
	all := &pb.DatasetFeatureStatisticsList{}
	for i, f := range in {
		if f.Err != nil {
			return nil, nil // reading records will fail with the reason
		}
		list, err := r.read(f.Name)
		if _, unreadable := errors.AsType[*fs.PathError](err); i == 0 && (unreadable || errors.Is(err, errNone)) {
			return nil, nil
		}
		if err == nil {
			err = unite(all, list)
		}
		if err != nil {
			return nil, reading.Named(f.Name, err)
		}
	}
	return all, nil
}

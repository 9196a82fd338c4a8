package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/tally"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/internal/judge"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A gatherer makes statistics of the records of all files together.
type gatherer struct {
	env     *env
	reading *reading
	options stats.Options
	jobs    int  // at least 1
	memory  size // that all may take
	result  *stats.Accumulator

	first   walk.Visitor                                                              // is shown the first records, before all else; may be nil
	begin   func(recordjson.Type) error                                               // may be nil
	check   func(rec []byte, pos tfrecord.Position) (later func() error, counts bool) // may be nil
	judge   func() judge.Judge                                                        // may be nil
	refused func(*walk.Fault) error                                                   // nil: as if it were lost
	part    func(*stats.Accumulator) error                                            // is given what is merged; may be nil
}

// defaultMemory is what statistics and all that they need may take.
const defaultMemory size = 1 << 30

func (g *gatherer) lost(fault *walk.Fault) error { return g.env.fault(fault, g.reading) }

// read reads the inputs.
func (g *gatherer) read(in []inputs.Input, typ recordjson.Type) error {
	if g.memory == 0 {
		g.memory = defaultMemory
	}
	// Garbage may take what is left, and the runtime what it needs itself.
	old := debug.SetMemoryLimit(int64(g.memory) + 32<<20)
	defer debug.SetMemoryLimit(old)
	defer collectLater()()
	g.options.Memory = tally.Share(int64(g.memory))
	job := &tally.Job{
		Stats: g.options, Type: typ, Jobs: max(g.jobs, 1), Memory: int64(g.memory),
		Begin: g.begin, Check: g.check, Judge: g.judge, Lost: g.lost, Refused: g.refused, File: g.merge,
	}
	if job.Refused == nil {
		job.Refused = g.lost
	}
	return g.reading.with(g.env, in, &job.Walk, func() error {
		if g.first != nil {
			a := walk.NewAhead(g.env.ctx, in, &job.Walk)
			defer a.Close()
			if err := a.Read(g.first, aheadSize(int64(g.memory))); err != nil {
				return err
			}
			job.Read = a.Walk
		}
		return job.Run(g.env.ctx, in)
	})
}

// aheadSize is how many bytes of records are kept to be looked at first.
func aheadSize(memory int64) int { return int(min(max(memory/16, 1<<20), 64<<20)) }

// merge adds the statistics of a file; nil are those of a file without records.
func (g *gatherer) merge(part *stats.Accumulator) error {
	if part == nil {
		return nil
	}
	if g.part != nil {
		if err := g.part(part); err != nil {
			return err
		}
	}
	if g.result == nil {
		g.result = part.Fresh()
	}
	if a, b := g.result.Options().RecordType, part.Options().RecordType; a != b {
		return fmt.Errorf("the files hold records of type %s and of type %s: statistics are of one", recordTypeName(a), recordTypeName(b))
	}
	return g.result.Merge(part)
}

func recordTypeName(r stats.RecordType) string {
	if r == stats.Examples {
		return "example"
	}
	return string(r)
}

// gather reads the inputs and returns the statistics.
func (g *gatherer) gather(in []inputs.Input, typ recordjson.Type) (*pb.DatasetFeatureStatisticsList, error) {
	if err := g.read(in, typ); err != nil {
		return nil, err
	}
	if g.result == nil {
		return nil, errors.New("no records to look at")
	}
	g.env.conflicts(g.result, func(path []string) bool { // who checks records tells of those that are not of the schema's type
		return g.check != nil && featureAt(g.options.Schema.GetFeature(), path).GetType() != pb.FeatureType_TYPE_UNKNOWN
	})
	g.env.caveats(g.result)
	return g.result.StatisticsWith(g.jobs)
}

// readTwice reports whether all inputs can be read more than once: what has gone through
// standard input or another pipe is gone.
func readTwice(in []inputs.Input) bool {
	return !slices.ContainsFunc(in, func(i inputs.Input) bool {
		if i.Name == inputs.Stdin {
			return true
		}
		info, err := os.Stat(i.Name)
		return err == nil && !info.Mode().IsRegular()
	})
}

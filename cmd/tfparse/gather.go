package main

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statfile"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// recordTypes are the names that package stats has for messages.
var recordTypes = map[example.MessageType]stats.RecordType{
	example.TypeExample: stats.Examples, example.TypeSequence: stats.SequenceExamples, example.TypeList: stats.ExampleLists,
}

// A gatherer makes statistics of the records of all files together.
type gatherer struct {
	env     *env
	reading *reading
	options stats.Options
	message example.MessageType
	acc     *stats.Accumulator

	begin func(example.MessageType) error                                // may be nil
	see   func(rec []byte, pos tfrecord.Position) (fine bool, err error) // may be nil
}

func (g *gatherer) Begin(*walk.File) error { return nil }
func (g *gatherer) End(*walk.File) error   { return nil }

func (g *gatherer) Type(t recordjson.Type) (err error) {
	mt, _ := messageType(t)
	switch {
	case g.acc != nil && mt == g.message:
		return nil
	case g.acc != nil:
		return fmt.Errorf("the files hold records of type %s and of type %s: statistics are of one", g.message, mt)
	}
	g.message = mt
	g.options.RecordType = recordTypes[mt]
	if g.acc, err = stats.New(&g.options); err == nil && g.begin != nil {
		err = g.begin(mt)
	}
	return err
}

func (g *gatherer) Lost(fault *walk.Fault) error { return g.env.fault(fault, g.reading.onError) }

func (g *gatherer) Record(rec []byte, pos tfrecord.Position) error {
	if g.see != nil {
		if fine, err := g.see(rec, pos); err != nil || !fine {
			return err
		}
	}
	if err := g.acc.Add(rec); err != nil {
		return g.Lost(walk.Misfit(pos, err))
	}
	return nil
}

// gather reads the inputs.
func (g *gatherer) gather(in []inputs.Input, typ recordjson.Type) (*pb.DatasetFeatureStatisticsList, error) {
	if err := g.reading.walk(g.env, in, nil, walk.Guess(typ, g)); err != nil {
		return nil, err
	}
	if g.acc == nil {
		return nil, errors.New("no records to look at")
	}
	return g.acc.Statistics()
}

// given returns the statistics that the only input is, or nil if the inputs are
// records, or cannot be read.
func given(in []inputs.Input) *pb.DatasetFeatureStatisticsList {
	if len(in) != 1 || in[0].Err != nil || in[0].Name == inputs.Stdin {
		return nil
	}
	list, err := statfile.Read(in[0].Name)
	if err != nil {
		return nil
	}
	return list
}

package explain

import (
	"encoding/json"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// A reportJSON is the JSON form of a [Report].
type reportJSON struct {
	File     jsonscan.Name `json:"file"`
	Record   int64         `json:"record"`
	Address  jsonscan.Name `json:"address"`
	Offset   int64         `json:"offset"`
	Fits     bool          `json:"fits"`
	Fault    *faultJSON    `json:"fault"`
	Other    *string       `json:"other"`
	Features []featureJSON `json:"features"`
}

// A faultJSON is the JSON form of a [Fault].
type faultJSON struct {
	Message string          `json:"message"`
	Group   *string         `json:"group"`
	Feature json.RawMessage `json:"feature"`
	Key     json.RawMessage `json:"key"`
	Step    *int            `json:"step"` // index of the step or the example
	Level   *int            `json:"level"`
	Byte    *int            `json:"byte"`
	Want    *string         `json:"want"`
	Got     *string         `json:"got"`
	Remedy  *string         `json:"remedy"`
}

// A featureJSON is the JSON form of a [Feature].
type featureJSON struct {
	Group      string          `json:"group"`
	Name       json.RawMessage `json:"name"`
	Kind       string          `json:"kind"`
	Fits       bool            `json:"fits"`
	Keys       []keyJSON       `json:"keys"`
	Partitions []partitionJSON `json:"partitions"`
	Value      json.RawMessage `json:"value"`
	Fault      *faultJSON      `json:"fault"`
}

// A keyJSON is the JSON form of a [Key].
type keyJSON struct {
	Key   json.RawMessage `json:"key"`
	Roles []string        `json:"roles"`
	Found bool            `json:"found"`
	Units *int            `json:"units"` // number of steps or examples
	Lists []listJSON      `json:"lists"`
	Error *string         `json:"error"`
}

// A listJSON is the JSON form of a [List].
type listJSON struct {
	Unit   *int            `json:"unit"`
	Found  bool            `json:"found"`
	Kind   *string         `json:"kind"`
	Count  int             `json:"count"`
	Values json.RawMessage `json:"values"` // the first values; empty without a kind
	Error  *string         `json:"error"`
}

// A partitionJSON is the JSON form of a [Partition].
type partitionJSON struct {
	Level      int             `json:"level"`
	Kind       string          `json:"kind"`
	Key        json.RawMessage `json:"key"`
	Values     int             `json:"values"`
	RowLengths []int           `json:"row_lengths"`
}

// JSON returns the report as a value for encoding/json. at and address are the position of the record. Unknown values
// are null.
func (r *Report) JSON(at tfrecord.Position, address string) any {
	out := reportJSON{File: jsonscan.Name(at.Name), Record: at.Record, Address: jsonscan.Name(address), Offset: at.Offset, Fits: r.Fault == nil, Fault: r.Fault.toJSON(), Features: []featureJSON{}}
	if r.Other != "" {
		out.Other = &r.Other
	}
	for i := range r.Features {
		f := &r.Features[i]
		j := featureJSON{
			Group: f.Group.String(), Name: nameJSON(f.Name), Kind: featureText(f.Spec), Fits: f.Fault == nil,
			Keys: []keyJSON{}, Partitions: []partitionJSON{}, Value: f.Row, Fault: f.Fault.toJSON(),
		}
		for _, k := range f.Keys {
			j.Keys = append(j.Keys, k.toJSON())
		}
		for _, p := range f.Partitions {
			partition := partitionJSON{Level: p.Level, Kind: p.Kind, Values: p.Values, RowLengths: append([]int{}, p.RowLengths...)}
			if p.Key != "" {
				partition.Key = nameJSON(p.Key)
			}
			j.Partitions = append(j.Partitions, partition)
		}
		out.Features = append(out.Features, j)
	}
	return out
}

func nameJSON(s string) json.RawMessage { return jsonscan.AppendName(nil, []byte(s)) }

func knownOrNil[T comparable](v, unknown T) *T {
	if v == unknown {
		return nil
	}
	return &v
}

func errorText(err error) *string {
	if err == nil {
		return nil
	}
	text := err.Error()
	return &text
}

func (f *Fault) toJSON() *faultJSON {
	if f == nil {
		return nil
	}
	j := &faultJSON{
		Message: f.Error(), Step: knownOrNil(f.Step, -1), Level: knownOrNil(f.Partition, -1), Byte: knownOrNil(f.Byte, -1),
		Want: knownOrNil(f.Want, ""), Got: knownOrNil(f.Got, ""), Remedy: knownOrNil(f.Remedy, ""),
	}
	if !f.Whole {
		group := f.Group.String()
		j.Group, j.Feature, j.Key = &group, nameJSON(f.Feature), nameJSON(f.Key)
	}
	return j
}

func (k *Key) toJSON() keyJSON {
	j := keyJSON{Key: nameJSON(k.Key), Roles: k.Roles, Found: !k.Missing, Units: knownOrNil(k.Units, -1), Lists: []listJSON{}, Error: errorText(k.Err)}
	for i := range k.Lists {
		l := &k.Lists[i]
		list := listJSON{Unit: knownOrNil(l.Unit, -1), Found: !l.Missing, Count: l.Len, Values: append(append([]byte{'['}, l.Values...), ']'), Error: errorText(l.Err)}
		if l.Kind != example.Unset {
			kind := dtypeName(l.Kind.String())
			list.Kind = &kind
		}
		j.Lists = append(j.Lists, list)
	}
	return j
}

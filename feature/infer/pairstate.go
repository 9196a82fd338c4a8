package infer

import (
	"encoding/json"
	"fmt"

	"github.com/tfparse/tfparse/feature"
)

// wirePair is the serialized form of a Pair. Keys are bytes because JSON strings must be UTF-8.
type wirePair struct {
	Group     feature.Group  `json:"group"`
	Partition wirePartition  `json:"partition"`
	Of        []byte         `json:"of"`
	Rows      *wirePartition `json:"rows,omitempty"`
	Block     int64          `json:"block"`
	Records   int64          `json:"records"`
	Against   int64          `json:"against"`
	Chosen    bool           `json:"chosen"`
}

// wirePartition is the serialized form of a partition.
type wirePartition struct {
	Name   string `json:"name"`
	Key    []byte `json:"key,omitempty"`
	Length int64  `json:"length,omitempty"`
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It omits Counter and Why.
func (p Pair) MarshalBinary() ([]byte, error) {
	w := wirePair{Group: p.Group, Partition: partitionState(p.Partition), Of: []byte(p.Of), Block: p.Block, Records: p.Records, Against: p.Against, Chosen: p.Chosen}
	if p.Rows != nil {
		rows := partitionState(p.Rows)
		w.Rows = &rows
	}
	return json.Marshal(w)
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (p *Pair) UnmarshalBinary(b []byte) error {
	var w wirePair
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("infer: not a pair: %w", err)
	}
	out := Pair{Group: w.Group, Of: string(w.Of), Block: w.Block, Records: w.Records, Against: w.Against, Chosen: w.Chosen}
	var err error
	if out.Partition, err = w.Partition.partition(); err == nil && w.Rows != nil {
		out.Rows, err = w.Rows.partition()
	}
	if err != nil {
		return err
	}
	*p = out
	return nil
}

func partitionState(p feature.Partition) wirePartition {
	name, key := feature.PartitionKey(p)
	w := wirePartition{Name: name, Key: []byte(key)}
	if n, ok := p.(feature.UniformRowLength); ok {
		w.Length = int64(n)
	}
	return w
}

func (w *wirePartition) partition() (feature.Partition, error) {
	if w.Name == "uniform_row_length" {
		return feature.UniformRowLength(w.Length), nil
	}
	if p := feature.PartitionOf(w.Name, string(w.Key)); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("infer: not a pair: no partition is called %q", w.Name)
}

package summary

import (
	"encoding/json"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
)

// kindsTable is the JSON form of the first records in a Table, all of one file.
type kindsTable struct {
	Type    example.MessageType `json:"type"`
	Omitted int64               `json:"omitted,omitempty"` // Table.Omitted
	Empty   int64               `json:"empty,omitempty"`   // Table.Empty
	NoneAt  int64               `json:"none_at,omitempty"` // ordinal of the record of Table.NoneAt
	File    []byte              `json:"file,omitempty"`    // name of the file; bytes, since JSON strings are UTF-8
	Columns []kindsColumn       `json:"columns,omitempty"`
}

// kindsColumn is the JSON form of a Feature.
type kindsColumn struct {
	Part  Part     `json:"part,omitempty"`
	Name  []byte   `json:"name"`
	First [4]int64 `json:"first"` // first record by example.Kind, counted from 1; 0 if no record has the kind
}

// AppendKinds appends the JSON form of the first records of each feature and kind in a file.
func (t *Table) AppendKinds(dst []byte) ([]byte, error) {
	w := kindsTable{Type: t.typ, Omitted: t.Omitted, Empty: t.Empty, NoneAt: t.NoneAt.Record}
	if t.Empty > 0 {
		w.File = []byte(t.NoneAt.File)
	}
	for _, c := range t.columns {
		one := kindsColumn{Part: c.Part, Name: []byte(c.Name)}
		for k, n := range c.Kinds {
			if n > 0 {
				one.First[k] = c.First[k].Record + 1
				w.File = []byte(c.First[k].File)
			}
		}
		w.Columns = append(w.Columns, one)
	}
	b, err := json.Marshal(w)
	return append(dst, b...), err
}

// ReadKinds reads the output of AppendKinds. Of the counts the Table has only Omitted and Empty.
func ReadKinds(b []byte) (*Table, error) {
	var w kindsTable
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, err
	}
	t := &Table{typ: w.Type, part: true}
	t.Omitted = w.Omitted
	t.addEmpty(w.Empty, Place{string(w.File), w.NoneAt})
	for _, one := range w.Columns {
		c := t.feature(one.Part%message.NumParts, string(one.Name))
		c.Present = 1
		for k, record := range one.First {
			if record > 0 {
				c.addKind(uint8(k), 1, Place{string(w.File), record - 1})
			}
		}
	}
	return t, nil
}

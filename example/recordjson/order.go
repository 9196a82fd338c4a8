package recordjson

import (
	"bytes"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// An order collects features as [example.MessageType.Collect] does, but remembers names
// from record to record: most writers put them in an order of their own, and
// sorting the same names again would take half of the time of printing.
type order struct {
	names map[string]int // to the place among all names, sorted
	slots []slot         // by that place
	turn  uint64         // number of the record

	scanned []example.Entry // in the order of the message
	sorted  []example.Entry
}

type slot struct {
	at   int    // of the entry in scanned
	turn uint64 // of the record whose entry it is
}

// maxOrder bounds how many names are remembered. Records with more of them are
// sorted one by one.
const maxOrder = 1024

// collect returns what t.Collect does, lent until the next call.
func (o *order) collect(t example.MessageType, msg []byte) ([]example.Entry, error) {
	o.turn++
	o.scanned, o.sorted = o.scanned[:0], o.sorted[:0]
	sorted := true
	scan := t.Scan(msg)
	for scan.Next() {
		name := scan.Name()
		if n := len(o.scanned); n > 0 && bytes.Compare(o.scanned[n-1].Name, name) >= 0 {
			sorted = false
		}
		o.scanned = append(o.scanned, example.Entry{Name: name, Feature: scan.Feature()})
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if sorted {
		return o.scanned, nil
	}
	if !o.place() {
		var err error
		o.sorted, err = t.Collect(o.sorted, msg)
		return o.sorted, err
	}
	for i := range o.slots {
		if o.slots[i].turn == o.turn {
			o.sorted = append(o.sorted, o.scanned[o.slots[i].at])
		}
	}
	return o.sorted, nil
}

// place puts what was scanned into the slots. It fails where a name is new, or
// stands twice: which feature stands for it then is not decided here.
func (o *order) place() bool {
	for i := range o.scanned {
		place, ok := o.names[string(o.scanned[i].Name)]
		if !ok {
			o.learn()
			return false
		}
		if o.slots[place].turn == o.turn {
			return false
		}
		o.slots[place] = slot{i, o.turn}
	}
	return true
}

// learn takes the names of the record that was scanned, if there is room.
func (o *order) learn() {
	if len(o.names) >= maxOrder {
		return
	}
	names := make([]string, 0, len(o.names)+len(o.scanned))
	for name := range o.names {
		names = append(names, name)
	}
	for _, e := range o.scanned {
		names = append(names, string(e.Name))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > maxOrder {
		return
	}
	o.names = make(map[string]int, len(names))
	for i, name := range names {
		o.names[name] = i
	}
	o.slots = make([]slot, len(names))
}

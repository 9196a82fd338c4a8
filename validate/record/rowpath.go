package record

import (
	"slices"

	"github.com/tfparse/tfparse/example"
)

// addRowPaths sets the row paths of findings about values of features.
func (c *Checker) addRowPaths(s *scratch) {
	numbers := func(i int) ([]int64, int64) { return s.numbers(i), s.features[i].n }
	for k := range s.found {
		if f := &s.found[k]; f.ValueIndex >= 0 && f.Step < 0 {
			f.RowPath = rowPath(c.links, &c.features, f, numbers)
		}
	}
}

// addListRowPaths sets the row paths of findings about values of steps.
func (c *Checker) addListRowPaths(s *scratch) {
	for k := range s.found {
		f := &s.found[k]
		if len(c.listLinks) == 0 || f.ValueIndex < 0 || f.Step < 0 {
			continue
		}
		f.RowPath = rowPath(c.listLinks, &c.lists, f, func(i int) ([]int64, int64) {
			v, ok := stepAt(s.lists[i], f.Step)
			if !ok {
				return nil, 0
			}
			n, err := v.Len()
			if err != nil || v.Kind() != example.Int64List {
				return nil, int64(n)
			}
			x, err := v.AppendInt64s(nil)
			if err != nil {
				return nil, 0
			}
			return x, int64(n)
		})
	}
}

// stepAt returns one step of a feature list.
func stepAt(at slot, step int) (example.Feature, bool) {
	if !at.seen {
		return example.Feature{}, false
	}
	for s := at.steps.Scan(); s.Next(); {
		if s.Index() == step {
			return s.Feature(), true
		}
	}
	return example.Feature{}, false
}

// rowPath returns where a value is in the rows that links give it, outermost first. It is
// nil if no link does, or one of them does not hold. numbers returns the numbers of an
// entry, if it is a partition, and how many values it has.
func rowPath(links []link, t *table, f *Finding, numbers func(entry int) ([]int64, int64)) []int64 {
	i := slices.IndexFunc(links, func(l link) bool { return l.rows == none && t.entries[l.of].path == f.Feature })
	if i < 0 {
		return nil
	}
	entry, rows, at := links[i].of, none, int64(f.ValueIndex)
	var path []int64  // innermost first
	for range links { // a chain has each of them at most once
		l, ok := linkOf(links, entry, rows)
		if !ok {
			break
		}
		y, n := numbers(l.of)
		var x []int64
		if l.from >= 0 {
			x, _ = numbers(l.from)
		}
		if l.holds(x, n, y) != nil {
			return nil
		}
		for _, length := range l.uniform {
			if length > 1 || l.guessed == nil {
				path = append(path, at%length)
				at /= length
			}
		}
		if l.from < 0 {
			break
		}
		row, first := rowOf(l.encoding, x, at)
		path = append(path, at-first)
		entry, rows, at = l.from, l.encoding, row
	}
	path = append(path, at)
	slices.Reverse(path)
	return path
}

// linkOf returns the link that partitions the values of an entry, or its rows: a declared
// one, if there is any.
func linkOf(links []link, entry int, rows encoding) (found link, ok bool) {
	for _, l := range links {
		if l.of == entry && l.rows == rows && (!ok || found.guessed != nil && l.guessed == nil) {
			found, ok = l, true
		}
	}
	return found, ok
}

// rowOf returns the row of an item in a valid partition, and the first item of that row.
func rowOf(e encoding, x []int64, item int64) (row, first int64) {
	if e == rowIDs {
		i := item
		for i > 0 && x[i-1] == x[item] {
			i--
		}
		return x[item], i
	}
	for row, v := range x {
		switch e {
		case lengths:
			if item < first+v {
				return int64(row), first
			}
			first += v
		case limits:
			if item < v {
				return int64(row), first
			}
			first = v
		default: // splits and starts
			if row+1 == len(x) || item < x[row+1] {
				return int64(row), v
			}
		}
	}
	return int64(len(x)) - 1, first
}

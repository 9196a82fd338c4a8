package record

import (
	"slices"

	"github.com/tfparse/tfparse/example"
)

// addRowPaths sets the row paths of findings about values.
func (u *unit) addRowPaths(s *scratch) {
	if len(u.features.links)+len(u.lists.links) == 0 {
		return
	}
	found := s.found()
	for k := range found {
		f := &found[k]
		switch {
		case f.ValueIndex < 0:
		case f.Step < 0:
			f.RowPath = u.features.rowPath(f, s.feature)
		default:
			f.RowPath = u.lists.rowPath(f, func(entry int) (step example.Feature) {
				if entry < 0 {
					return step
				}
				list, _ := s.finder.Lists.Value(entry)
				for steps := list.Scan(); steps.Next(); {
					if steps.Index() == f.Step {
						return steps.Feature()
					}
				}
				return step
			})
		}
	}
}

// rowPath returns where a value is in the rows that links give it, outermost first. It is
// nil if no link does, or one of them does not hold. feature returns the feature of an entry, which is empty for -1.
func (p *part) rowPath(f *Finding, feature func(entry int) example.Feature) []int64 {
	i := slices.IndexFunc(p.links, func(l link) bool { return l.rows == none && p.entries[l.of].path == f.Feature })
	if i < 0 {
		return nil
	}
	entry, rows, at := p.links[i].of, none, int64(f.ValueIndex)
	var path []int64    // innermost first
	for range p.links { // a chain has each of them at most once
		l, ok := linkOf(p.links, entry, rows)
		if !ok {
			break
		}
		of := feature(l.of)
		n, _ := of.Len()
		x, _ := feature(l.from).AppendInt64s(nil) // nil, if it is no partition
		y, _ := of.AppendInt64s(nil)
		if l.holds(x, int64(n), y) != nil {
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

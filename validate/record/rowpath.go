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
	found := s.messageFindings()
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

// rowPath returns Finding.RowPath for the value of f: nil if no link partitions the values, or
// if a partition is invalid. feature returns the feature of an entry, empty for entry -1.
func (p *entryTable) rowPath(f *Finding, feature func(entry int) example.Feature) []int64 {
	i := slices.IndexFunc(p.links, func(l link) bool { return l.targetEncoding == noEncoding && p.entries[l.target].path == f.Feature })
	if i < 0 {
		return nil
	}
	entry, rows, at := p.links[i].target, noEncoding, int64(f.ValueIndex)
	var path []int64    // innermost first
	for range p.links { // a chain has each link at most once
		l, ok := findLink(p.links, entry, rows)
		if !ok {
			break
		}
		target := feature(l.target)
		n, _ := target.Len()
		x, _ := feature(l.from).AppendInt64s(nil) // nil if it is not a partition
		y, _ := target.AppendInt64s(nil)
		if l.findFault(x, int64(n), y) != nil {
			return nil
		}
		for _, length := range l.uniform {
			if length > 1 || l.inferred == nil {
				path = append(path, at%length)
				at /= length
			}
		}
		if l.from < 0 {
			break
		}
		row, first := findRow(l.encoding, x, at)
		path = append(path, at-first)
		entry, rows, at = l.from, l.encoding, row
	}
	path = append(path, at)
	slices.Reverse(path)
	return path
}

// findLink returns the link that partitions the values of an entry or, unless rows is noEncoding,
// its rows. A declared link takes precedence over an inferred link.
func findLink(links []link, entry int, rows encoding) (found link, ok bool) {
	for _, l := range links {
		if l.target == entry && l.targetEncoding == rows && (!ok || found.inferred != nil && l.inferred == nil) {
			found, ok = l, true
		}
	}
	return found, ok
}

// findRow returns the row that contains an item of a valid partition, and the row's first item.
func findRow(e encoding, x []int64, item int64) (row, first int64) {
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

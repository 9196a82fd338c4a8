package stats

// Features returns the paths of all features that the records had so far, those of
// the general records before those of lists, each in byte order of their names, also of
// those that Options.Features leaves out. Records that were refused do not count.
func (a *Accumulator) Features() [][]string {
	ids := a.ordered(func(*field) bool { return true })
	out := make([][]string, len(ids))
	for i, id := range ids {
		out[i] = a.path(id)
	}
	return out
}

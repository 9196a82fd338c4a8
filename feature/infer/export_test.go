package infer

// Slow makes the next Add take the slow path.
func (in *Inferrer) Slow() {
	for _, g := range in.groups {
		if g != nil {
			g.fast.built = false
		}
	}
}

// Fast reports whether the last record took the fast path.
func (in *Inferrer) Fast() bool {
	for _, u := range in.read.units {
		if g := in.groups[u.group]; !g.fast.built {
			return false
		}
	}
	for _, e := range in.read.entries {
		if e.name != nil {
			return false
		}
	}
	return true
}

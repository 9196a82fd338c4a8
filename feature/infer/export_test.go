package infer

// Obvious makes the next Add read its record by way of package example.
func (in *Inferrer) Obvious() {
	for _, g := range in.groups {
		if g != nil {
			g.quick.built = false
		}
	}
}

// Quick reports whether the quick way knew the last record.
func (in *Inferrer) Quick() bool {
	for _, u := range in.read.units {
		if g := in.groups[u.group]; !g.quick.built || g.quick.unit == 0 {
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

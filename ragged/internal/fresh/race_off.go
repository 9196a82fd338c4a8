//go:build !race

package fresh

func spoil[T any](s []T) []T { return s }

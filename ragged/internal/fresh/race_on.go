//go:build race

package fresh

import "reflect"

// spoil writes what nobody expects.
func spoil[T any](s []T) []T {
	if len(s) == 0 {
		return s
	}
	v := reflect.ValueOf(&s[0]).Elem()
	switch {
	case v.CanInt():
		v.SetInt(-85)
	case v.CanUint():
		v.SetUint(171)
	case v.CanFloat():
		v.SetFloat(-8.5e18)
	case v.CanComplex():
		v.SetComplex(-8.5e18)
	default:
		v.SetBool(true)
	}
	for i := range s {
		s[i] = s[0]
	}
	return s
}

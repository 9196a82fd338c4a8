//go:build oursfirst

package example

// Go initialises packages in the order of their import paths, unless one imports another. This import makes our
// package register first; without the tag this package does.
import _ "github.com/tfparse/tfparse/proto/examplepb"

//go:build oursfirst

package example

// Go initialises packages in the order of their import paths, unless one needs
// another. This import makes ours register first; without the tag these do.
import _ "github.com/tfparse/tfparse/proto/examplepb"

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import "os"

// duplicateDescriptor opens the file of a descriptor by its name. On most systems the new file has the offset of
// the descriptor.
func duplicateDescriptor(_ int, name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY, 0)
}

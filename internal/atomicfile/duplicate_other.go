//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import "os"

// duplicateDescriptor opens the file of a descriptor by its name, which has the place of the
// descriptor on most systems.
func duplicateDescriptor(_ int, name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY, 0)
}

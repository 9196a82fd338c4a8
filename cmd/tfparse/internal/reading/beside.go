package reading

import (
	"os"
	"path/filepath"
)

// Beside returns the path of a file in a directory, and whether dir is one and has it.
func Beside(dir, file string) (name string, ok bool) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", false
	}
	name = filepath.Join(dir, file)
	info, err := os.Stat(name)
	return name, err == nil && info.Mode().IsRegular()
}

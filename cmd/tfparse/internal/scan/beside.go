package scan

import (
	"github.com/tfparse/tfparse/internal/storage"
)

// Beside returns the path of a file in a directory, and whether dir is one and has it.
func Beside(dir, file string) (name string, ok bool) {
	if info, err := storage.Stat(dir); err != nil || !info.IsDir() {
		return "", false
	}
	name = storage.Join(dir, file)
	info, err := storage.Stat(name)
	return name, err == nil && info.Mode().IsRegular()
}

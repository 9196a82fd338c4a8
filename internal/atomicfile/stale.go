package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// longestBase is how much of the name of a target goes into a hidden name, which may have
// 255 bytes on most file systems.
const longestBase = 230

var hiddenSuffix = regexp.MustCompile(`^\.tfparse-[0-9a-f]{8}\.tmp$`)

// hiddenPrefix returns the beginning of the hidden names beside a target.
func hiddenPrefix(target string) (dir, prefix string) {
	dir, base := filepath.Split(target)
	if len(base) > longestBase {
		cut := longestBase
		for cut > 0 && !utf8.RuneStart(base[cut]) {
			cut-- // some file systems take no half characters
		}
		base = base[:cut]
	}
	return dir, "." + base
}

// hiddenName returns one of the names that a target has before it is complete.
func hiddenName(target string, n uint32) string {
	dir, prefix := hiddenPrefix(target)
	return dir + fmt.Sprintf("%s.tfparse-%08x.tmp", prefix, n)
}

// removeStale removes what runs that were killed have left beside a target. A file that a
// running process writes is locked, and stays. What cannot be removed does no harm.
func removeStale(target string) {
	dir, prefix := hiddenPrefix(target)
	at := dir
	if at == "" {
		at = "."
	}
	d, err := os.Open(at)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	for _, name := range names {
		if suffix, ok := strings.CutPrefix(name, prefix); ok && hiddenSuffix.MatchString(suffix) {
			removeUnlocked(dir + name)
		}
	}
}

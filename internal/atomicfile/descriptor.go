package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
)

var descriptorName = regexp.MustCompile(`^(?:/dev/fd|/proc/(?:self|thread-self|(\d+))/fd)/(\d{1,6})$`)

// descriptor returns the number of the open file that a name stands for, as /dev/fd/3, or
// one to which a link of such a name leads, as /dev/stdout. To open such a name would not
// do: Linux opens the file anew, at its beginning, and knows no name for a pipe.
func descriptor(name string) (n int, ok bool) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		return 0, false
	}
	for range 16 {
		name = filepath.Clean(name)
		switch name {
		case "/dev/stdout":
			return 1, true
		case "/dev/stderr":
			return 2, true
		}
		if m := descriptorName.FindStringSubmatch(name); m != nil && (m[1] == "" || m[1] == strconv.Itoa(os.Getpid())) {
			n, err := strconv.Atoi(m[2])
			return n, err == nil
		}
		link, err := os.Readlink(name)
		if err != nil {
			return 0, false
		}
		if !filepath.IsAbs(link) {
			link = fmt.Sprintf("%s/%s", filepath.Dir(name), link)
		}
		name = link
	}
	return 0, false
}

// IsStdout reports whether a name is one of standard output, as /dev/stdout.
func IsStdout(name string) bool {
	n, ok := descriptor(name)
	return ok && n == 1
}

package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
)

// remote finds the scheme of an address, as "gs". A letter alone is a drive of Windows.
var remote = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// schemeOf is the scheme of an argument that is the address of something that is neither in
// the file system nor in a registered store, or "".
func schemeOf(arg string) string {
	m := remote.FindStringSubmatch(arg)
	if m == nil {
		return ""
	}
	if storage.Remote(arg) || storage.Exists(arg) {
		return ""
	}
	return strings.ToLower(m[1])
}

// inStores reports whether the command of the nested module store opens addresses of a scheme.
func inStores(scheme string) bool {
	return scheme == "gs" || scheme == "s3" || scheme == "http" || scheme == "https"
}

// ElsewhereAdvice says what to do about the address of something that is not in the file system; "" for others.
func ElsewhereAdvice(arg string) string {
	switch scheme := schemeOf(arg); {
	case scheme == "":
		return ""
	case scheme == "file":
		return "name the path alone, without file://"
	case inStores(scheme):
		return "not a file: the tfparse of store/cmd/tfparse opens it; or use a pipe"
	}
	return "not a file: copy it, or use a pipe"
}

// Elsewhere returns an error if an argument is an address that this build cannot open. The message has flag, such as
// "-o ", before the address. The error is one of input or output, not of usage: another build opens the address.
func Elsewhere(flag, arg string) error {
	advice := ElsewhereAdvice(arg)
	if advice == "" {
		return nil
	}
	err := fmt.Errorf("%s%s: %s", flag, arg, advice)
	if inStores(schemeOf(arg)) {
		return err
	}
	return Usage(err)
}

// public returns the arguments with public names in place of addresses of stores, which may have credentials in
// them: names are in messages, reports and records.
func public(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		flag := ""
		if strings.HasPrefix(arg, "-") {
			name, value, ok := strings.Cut(arg, "=")
			if !ok {
				continue
			}
			flag, arg = name+"=", value
		}
		end := len(arg) // of the name: records or a slice may follow
		if at := strings.LastIndexByte(arg, '#'); at >= 0 {
			end = at
		}
		if at := strings.Index(arg[:end], "?slice="); at >= 0 {
			end = at
		}
		args[i] = flag + storage.Public(arg[:end]) + arg[end:]
	}
	return args
}

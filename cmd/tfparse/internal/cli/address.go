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

// pathAlone is what to do about file:///x.
const pathAlone = "name the path alone, without file://"

// withStores is what the command of the nested module store does about the addresses of its schemes.
const withStores = "; the tfparse that is built from store/cmd/tfparse opens it"

// inStores reports whether that command has a scheme. Of http and https it only reads.
func inStores(scheme string) bool {
	return scheme == "gs" || scheme == "s3" || scheme == "http" || scheme == "https"
}

// noAddress is the error about an address. What another build of the command opens is no mistake in the command
// line: it is input or output that this one has no way to.
func noAddress(what, arg, advice string) error {
	err := fmt.Errorf("%s: %s", what, advice)
	if inStores(schemeOf(arg)) {
		return err
	}
	return Usage(err)
}

// Elsewhere is an error if an argument is the address of something that is not in the file system. It says what to do.
func Elsewhere(arg string) error {
	if advice := elsewhere(arg); advice != "" {
		return noAddress(arg, arg, advice)
	}
	return nil
}

func elsewhere(arg string) string {
	const only = "only files are read, and standard input: "
	scheme := schemeOf(arg)
	switch scheme {
	case "":
		return ""
	case "file":
		return pathAlone
	}
	copying := map[string]string{
		"gs": "gcloud storage cat " + arg, "s3": "aws s3 cp " + arg + " -",
		"http": "curl -fsSL " + arg, "https": "curl -fsSL " + arg, "hdfs": "hdfs dfs -cat " + arg,
	}[scheme]
	if copying == "" {
		return only + "copy it here, or pipe it into tfparse COMMAND"
	}
	advice := only + copying + " | tfparse COMMAND"
	if inStores(scheme) {
		advice += withStores
	}
	return advice
}

// ElsewhereFile is elsewhere for a file that a flag names, which no pipe can take the place of.
func ElsewhereFile(arg string) string {
	const only = "only files are read: copy it here"
	switch scheme := schemeOf(arg); {
	case scheme == "":
		return ""
	case scheme == "file":
		return pathAlone
	case inStores(scheme):
		return only + withStores
	}
	return only
}

// elsewhereOutput is Elsewhere for the name of an output.
func elsewhereOutput(arg string) error {
	if advice := elsewhereWrite(arg); advice != "" {
		return noAddress("-o "+arg, arg, advice)
	}
	return nil
}

func elsewhereWrite(arg string) string {
	const only = "only files are written, and standard output: "
	scheme := schemeOf(arg)
	switch scheme {
	case "":
		return ""
	case "file":
		return pathAlone
	}
	copying := map[string]string{
		"gs": "gcloud storage cp - " + arg, "s3": "aws s3 cp - " + arg, "hdfs": "hdfs dfs -put - " + arg,
	}[scheme]
	if copying == "" {
		return only + "write a file, and copy it there"
	}
	advice := only + "tfparse COMMAND -o - | " + copying
	if inStores(scheme) {
		advice += withStores
	}
	return advice
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

package main

import (
	"flag"
	"strings"
)

// split divides a command line into the words of the verb and the flags that fs defines, which are those of Beam, wherever
// they stand before "--".
func split(args []string, fs *flag.FlagSet) (verb, ofBeam []string) {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		if word == "--" {
			return append(append(verb, word), args...), ofBeam
		}
		name, _, valued := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
		f := fs.Lookup(name)
		if f == nil || !strings.HasPrefix(word, "-") {
			verb = append(verb, word)
			continue
		}
		ofBeam = append(ofBeam, word)
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !valued && !(ok && b.IsBoolFlag()) && len(args) > 0 {
			ofBeam = append(ofBeam, args[0])
			args = args[1:]
		}
	}
	return verb, ofBeam
}

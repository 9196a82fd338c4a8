// Notices writes THIRD_PARTY_NOTICES: the licences of all code of other projects that is linked into
// the full build of the command. The licences require that release archives include them.
//
// Usage, in the root of the project:
//
//	go run ./internal/notices          # write the file
//	go run ./internal/notices -check   # compare the file with the generated text
//
// It asks the go command which packages the command needs on each platform of
// .ci/release-platforms. For each package it collects the licence files in its folder and in the folders
// above, up to the root of the module, and the copyright notices in its source files, except those
// of the Go authors.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

const (
	output    = "THIRD_PARTY_NOTICES"
	platforms = ".ci/release-platforms"
	module    = "full" // folder of the module whose command releases carry
	command   = "./cmd/tfparse"
)

func main() {
	check := flag.Bool("check", false, "compare "+output+" with what would be written, and write nothing")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	list, err := os.ReadFile(platforms)
	if err != nil {
		return err
	}
	packages, err := linked(module, command, strings.Fields(string(list)))
	if err != nil {
		return err
	}
	sections, err := collect(packages)
	if err != nil {
		return err
	}
	want := format(sections)
	if !check {
		return os.WriteFile(output, []byte(want), 0o666)
	}
	have, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	if err := compare(string(have), want); err != nil {
		return fmt.Errorf("%s is not current: %w; go run ./internal/notices writes it anew", output, err)
	}
	return nil
}

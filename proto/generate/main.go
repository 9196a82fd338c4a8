// Generate compiles this project's .proto files and writes the Go beside them.
// It needs no protoc; the versions of the compiler and of the generator are
// those of its go.mod.
//
// Usage:
//
//	go run . [folder of the project]
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	top := filepath.Join("..", "..")
	if len(os.Args) > 1 {
		top = os.Args[1]
	}
	if err := run(top); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(top string) error {
	for _, r := range roots {
		files, err := generate(top, r)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := os.WriteFile(f.name, f.content, 0o666); err != nil {
				return err
			}
			fmt.Println(f.name)
		}
	}
	return nil
}

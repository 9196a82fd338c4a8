package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
)

// recordVariable names a folder in which each run of the command in a script leaves a file with its arguments and
// its standard output. internal/test/contract compares those in JSON with their schemas.
const recordVariable = "TFPARSE_RECORD"

// mainRecorded is main, or runs it in another process if its output is to be recorded.
func mainRecorded() {
	dir := os.Getenv(recordVariable)
	if info, err := os.Stdout.Stat(); dir == "" || err != nil || info.Mode()&os.ModeDevice != 0 { // /dev/full
		main()
	}
	os.Unsetenv(recordVariable)
	os.Exit(record(dir))
}

func record(dir string) (code int) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	cmd := &exec.Cmd{Path: self, Args: os.Args, Stdin: os.Stdin, Stdout: &out, Stderr: os.Stderr}
	if exit, ok := errors.AsType[*exec.ExitError](cmd.Run()); ok {
		code = exit.ExitCode()
	}
	text, err := json.Marshal(struct {
		Args []string
		Out  []byte
	}{os.Args[1:], out.Bytes()})
	if err == nil {
		var file *os.File
		if file, err = os.CreateTemp(dir, "*.json"); err == nil {
			_, err = file.Write(text)
			err = errors.Join(err, file.Close())
		}
	}
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(out.Bytes())
	return code
}

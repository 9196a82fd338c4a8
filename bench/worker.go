package main

import (
	"bufio"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// scripts are the Python programs. worker.py reads requests from its standard input, one line of JSON each, and
// prints one line as the answer to each.
//
//go:embed tf/*.py
var scripts embed.FS

// A worker is a running Python process with TensorFlow. It answers one request at a time, on one thread.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string
}

// startWorker starts worker.py with the given Python.
func startWorker(python string) (*worker, error) {
	dir, err := os.MkdirTemp("", "tfparse-bench-")
	if err != nil {
		return nil, err
	}
	w := &worker{dir: dir}
	if err := w.start(python); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return w, nil
}

func (w *worker) start(python string) error {
	files, err := scripts.ReadDir("tf")
	if err != nil {
		return err
	}
	for _, f := range files {
		b, err := scripts.ReadFile("tf/" + f.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(w.dir, f.Name()), b, 0o666)
		}
		if err != nil {
			return err
		}
	}
	w.cmd = exec.Command(python, filepath.Join(w.dir, "worker.py"))
	w.cmd.Stderr = os.Stderr
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	w.out = bufio.NewReader(out)
	return w.cmd.Start()
}

// Close ends the program and removes its files.
func (w *worker) Close() error {
	err := w.in.Close()
	return errors.Join(err, w.cmd.Wait(), os.RemoveAll(w.dir))
}

// A request names an operation of one of the scripts, with its arguments.
type request map[string]any

// An answer is the result of a request, or an error.
type answer struct {
	Seconds float64         `json:"seconds"`
	Sum     json.RawMessage `json:"sum"`
	Text    string          `json:"text"`
	Error   string          `json:"error"`
}

func (w *worker) ask(r request) (answer, error) {
	var a answer
	b, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	if _, err := w.in.Write(append(b, '\n')); err != nil {
		return a, fmt.Errorf("python: %w", err)
	}
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("python ended: %w", err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("python: %w", err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("python: %s", a.Error)
	}
	return a, nil
}

// timed returns a function that sends a request, and returns the time that Python measured.
func (w *worker) timed(r request) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		a, err := w.ask(r)
		return time.Duration(a.Seconds * float64(time.Second)), err
	}
}

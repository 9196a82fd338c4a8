// Package browser drives a headless Chromium for tests of pages: it starts the one of
// the system and talks to it through two pipes, in the DevTools protocol.
//
// A browser that is not there, or does not start, is a reason to skip a test; Start
// says which. What a page does wrong afterwards is for the test to find.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Variable names the program to start, if it is set in the environment.
const Variable = "TFPARSE_CHROME"

// Names are the programs that are looked for.
var Names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Find returns the program that Start starts, or why there is none.
func Find() (string, error) {
	if !canStart {
		return "", errors.New("pipes to a browser are not made on this system")
	}
	if name := os.Getenv(Variable); name != "" {
		return exec.LookPath(name)
	}
	for _, name := range Names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("none of %q is installed; %s can name one", Names, Variable)
}

// A Browser is a running process. All its methods may be called by several goroutines.
type Browser struct {
	cmd     *exec.Cmd
	to      io.WriteCloser
	profile string
	timeout time.Duration
	timer   *time.Timer

	mu      sync.Mutex
	last    int
	waiting map[int]chan message
	pages   map[string]*Page // by session
	err     error            // why nothing more is read
	done    chan struct{}
}

// A message is what goes over the pipes: a call, its answer, or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// patience is how long a browser may take to answer for the first time, on a machine
// with much else to do.
const patience = 45 * time.Second

// Start starts the program with a profile of its own in dir, and waits for its first
// answer. After the timeout, counted from that, it is killed, whatever it is doing.
func Start(program, dir string, timeout time.Duration) (*Browser, error) {
	profile, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// The browser reads from its descriptor 3, and writes to 4.
	in, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, out, err := os.Pipe()
	if err != nil {
		in.Close()
		to.Close()
		return nil, err
	}
	b := &Browser{to: to, profile: profile, timeout: timeout, waiting: map[int]chan message{}, pages: map[string]*Page{}, done: make(chan struct{})}
	var said bytes.Buffer
	b.cmd = exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
		"--no-first-run", "--no-default-browser-check", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-breakpad", "--metrics-recording-only", "--mute-audio", "--hide-scrollbars", "--force-color-profile=srgb",
		"--user-data-dir="+profile, "about:blank")
	b.cmd.ExtraFiles = []*os.File{in, out}
	b.cmd.Stderr = &said
	b.cmd.WaitDelay = time.Second // a child that keeps stderr open must not hold us
	prepare(b.cmd)
	err = b.cmd.Start()
	in.Close()
	out.Close()
	if err != nil {
		to.Close()
		from.Close()
		return nil, err
	}
	b.timer = time.AfterFunc(min(timeout, patience), func() { kill(b.cmd) })
	go b.read(from)
	if err := b.Call("", "Browser.getVersion", nil, nil); err != nil {
		b.Close()
		return nil, fmt.Errorf("%s: %w: %.500s", program, err, said.Bytes())
	}
	b.timer.Reset(timeout)
	return b, nil
}

// Close kills the browser and all it has started, and waits for its end.
func (b *Browser) Close() {
	kill(b.cmd)
	b.timer.Stop()
	b.to.Close()
	_ = b.cmd.Wait() // it was killed
	<-b.done
}

func (b *Browser) read(from io.ReadCloser) {
	defer close(b.done)
	defer from.Close()
	r := bufio.NewReader(from)
	for {
		line, err := r.ReadBytes(0)
		var m message
		if err == nil {
			err = json.Unmarshal(line[:len(line)-1], &m)
		}
		b.mu.Lock()
		if err != nil {
			b.err = fmt.Errorf("the browser has ended: %w", err)
			for _, c := range b.waiting {
				close(c)
			}
			b.waiting = nil
			b.mu.Unlock()
			return
		}
		if c := b.waiting[m.ID]; m.ID != 0 && c != nil {
			delete(b.waiting, m.ID)
			c <- m
		} else if p := b.pages[m.Session]; p != nil {
			p.event(m.Method, m.Params)
		}
		b.mu.Unlock()
	}
}

// Call calls a method in a session, or of the browser for "", and waits for the answer.
func (b *Browser) Call(session, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	if params == nil {
		text = []byte("{}")
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	if b.err != nil {
		b.mu.Unlock()
		return fmt.Errorf("%s: %w", method, b.err)
	}
	b.last++
	m := message{ID: b.last, Session: session, Method: method, Params: text}
	b.waiting[m.ID] = answer
	line, err := json.Marshal(m)
	if err == nil {
		_, err = b.to.Write(append(line, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	got, ok := <-answer
	switch {
	case !ok:
		return fmt.Errorf("%s: the browser ended, or was killed after %v", method, b.timeout)
	case got.Error != nil:
		return fmt.Errorf("%s: %s", method, got.Error.Message)
	case result != nil:
		return json.Unmarshal(got.Result, result)
	}
	return nil
}

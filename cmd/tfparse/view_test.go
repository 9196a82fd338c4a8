package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startView starts tfparse view, and returns its link and a client that has entered.
func startView(t *testing.T, cmd *exec.Cmd) (link *url.URL, client *http.Client) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if link, err = url.Parse(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	client = &http.Client{Jar: jar, Timeout: 10 * time.Second}
	if resp, err := client.Get(link.String()); err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	return link, client
}

// getView returns an answer of the page.
func getView(t *testing.T, client *http.Client, link *url.URL, path string) []byte {
	t.Helper()
	resp, err := client.Get("http://" + link.Host + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: status %d, %v: %s", path, resp.StatusCode, err, b)
	}
	return b
}

// interruptView ends the command, which must end soon.
func interruptView(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	begin := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("it ended after %v", d)
	}
}

func TestView(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal on Windows")
	}
	t.Parallel()
	dir := t.TempDir()
	cmd := tfparse(t, "view", "--spec", "auto", "--against", "../../testdata/tfds/toy/1.0.0#test", "../../testdata/tfds/toy/1.0.0#train")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	link, client := startView(t, cmd)
	if link.Hostname() != "127.0.0.1" || len(link.Query().Get("token")) != 64 {
		t.Errorf("link %s", link)
	}
	var set struct {
		Title, Type, Spec string
		Files             []struct{ Set int }
		Sets              []string
		Features          []struct {
			ID      string
			Classes bool
		}
	}
	if err := json.Unmarshal(getView(t, client, link, "/api/set"), &set); err != nil {
		t.Fatal(err)
	}
	classes := false
	for _, f := range set.Features {
		classes = classes || f.Classes
	}
	if set.Title != "toy 1.0.0#train" || set.Type != "example" || set.Spec == "" || len(set.Files) != 6 || len(set.Sets) != 2 || !classes {
		t.Errorf("%+v", set)
	}
	// A client that keeps a connection and a download open does not delay the end.
	resp, err := client.Get("http://" + link.Host + "/api/export?as=tfrecord")
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	interruptView(t, cmd)
	resp.Body.Close()
	if files := list(t, dir); len(files) > 0 {
		t.Errorf("it wrote %v", files)
	}
}

// TestViewOpen opens the page with a browser, which must not get the token as an argument.
func TestViewOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser of the test is called xdg-open")
	}
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	browser := "#!/bin/sh\nls -l \"$1\" >" + bin + "/mode\ncat \"$1\" >" + bin + "/page\necho \"$@\" >" + bin + "/arguments\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(browser), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := tfparse(t, "view", "--open", sample)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "PATH="+bin+":"+os.Getenv("PATH"))
	link, _ := startView(t, cmd)
	read := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(bin, name))
		return string(b)
	}
	waitFor(t, func() bool { return read("arguments") != "" })
	if !strings.Contains(read("page"), link.String()) || !strings.HasPrefix(read("mode"), "-rw------- ") || strings.Contains(read("arguments"), link.Query().Get("token")) {
		t.Errorf("mode %q, arguments %q, page %q", read("mode"), read("arguments"), read("page"))
	}
	interruptView(t, cmd)
	if files := list(t, dir); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

// TestViewPort uses a port that another process has.
func TestViewPort(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal on Windows")
	}
	t.Parallel()
	cmd := tfparse(t, "view", sample)
	link, _ := startView(t, cmd)
	out, err := tfparse(t, "view", "--port", link.Port(), sample).CombinedOutput()
	if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 4 || !strings.Contains(string(out), link.Port()) {
		t.Errorf("%v: %s", err, out)
	}
	interruptView(t, cmd)
}

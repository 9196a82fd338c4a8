package atomicfile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// setVariable is an environment variable that makes the test binary write sets into a directory until it is killed.
const setVariable = "TFPARSE_TEST_SETS"

func setNames(dir string) (names []string) {
	for i := range 6 {
		names = append(names, filepath.Join(dir, fmt.Sprint("file", i)))
	}
	return names
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(setVariable); dir != "" {
		for generation := 0; ; generation++ {
			s, err := CreateSet(setNames(dir))
			for i := 0; err == nil && i < len(s.Files); i++ {
				_, err = fmt.Fprint(s.Files[i], "generation ", generation)
			}
			if err == nil {
				err = s.Commit()
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Println(generation)
		}
	}
	os.Exit(m.Run())
}

// TestSetKilled kills a process that repeatedly replaces a set. At any time the directory has files of only one
// generation, and each file is complete.
func TestSetKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open on Windows cannot be renamed")
	}
	times := 15
	if testkit.Long(t, "killing the process 200 times") {
		times = 200
	}
	r := rand.New(rand.NewPCG(17, 4))
	dir := t.TempDir()
	partly := 0
	for range times {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), setVariable+"="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // the first set is complete
			t.Fatalf("%v: %s", err, &stderr)
		}
		time.Sleep(time.Duration(r.IntN(int(5 * time.Millisecond))))
		cmd.Process.Kill()
		cmd.Wait()
		if stderr.Len() > 0 {
			t.Fatal(&stderr)
		}
		first, present := "", 0
		for _, name := range setNames(dir) {
			b, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			present++
			if first == "" {
				first = string(b)
			}
			if string(b) != first || !strings.HasPrefix(first, "generation ") {
				t.Fatalf("%s holds %q, and a file before it %q", name, b, first)
			}
		}
		if present < len(setNames(dir)) {
			partly++
		}
	}
	t.Logf("of %d processes %d were killed between two renames", times, partly)
	s, err := CreateSet(setNames(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); len(got) != len(setNames(dir)) {
		t.Errorf("after the next run there is %q", got)
	}
}

package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/internal/storage"
)

// A bucket is a store for written files.
type bucket struct {
	storage.Store
	mu    sync.Mutex
	files map[string]string
	fail  string // the file whose Commit fails
	hold  chan struct{}
}

type object struct {
	*bucket
	name, text string
	aborted    bool
	committed  bool
}

func (b *bucket) Create(name string) (storage.Output, error) {
	return &object{bucket: b, name: name}, nil
}

func (o *object) Write(p []byte) (int, error) { o.text += string(p); return len(p), nil }
func (o *object) Stage() error                { return nil }

func (o *object) Commit() error {
	if o.name == o.fail {
		if o.hold != nil {
			<-o.hold
		}
		return errors.New("commit fails")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files[o.name], o.committed = o.text, true
	return nil
}

func (o *object) Undo() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.committed {
		delete(o.files, o.name)
	}
	return nil
}

func (o *object) Abort() { o.aborted = true }

// TestRemote proves that files of a store appear together with files of the system, or not at all.
func TestRemote(t *testing.T) {
	b := &bucket{files: map[string]string{}}
	storage.Register("mem", b)
	local := filepath.Join(t.TempDir(), "local")
	create := func() (*Set, []string) {
		names := []string{"mem://b/1", local, "mem://b/2", "mem://b/3"}
		s, err := CreateSet(names)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range s.Files {
			io.WriteString(f, names[i])
		}
		return s, names
	}
	there := func() (all []string) {
		for name, text := range b.files {
			if name != text {
				t.Errorf("%s has %q", name, text)
			}
			all = append(all, name)
		}
		if _, err := os.Stat(local); err == nil {
			all = append(all, "local")
		}
		slices.Sort(all)
		return all
	}

	s, _ := create()
	s.Abort()
	if got := there(); got != nil {
		t.Errorf("after Abort there is %q", got)
	}

	s, _ = create()
	b.fail = "mem://b/2"
	if err := s.Commit(); err == nil || !strings.Contains(err.Error(), "commit fails") {
		t.Errorf("Commit returns %v", err)
	}
	if got := there(); got != nil {
		t.Errorf("after a Commit that fails there is %q", got)
	}
	alone(t, local)

	// A process is interrupted while the files get their names.
	s, _ = create()
	b.hold = make(chan struct{})
	done := make(chan error)
	go func() { done <- s.Commit() }()
	for {
		b.mu.Lock()
		n := len(b.files)
		b.mu.Unlock()
		if n == 2 {
			break
		}
	}
	s.Drop()
	if len(b.files) != 0 {
		t.Errorf("after Drop there is %q", b.files)
	}
	close(b.hold)
	<-done

	b.fail = ""
	s, _ = create()
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	s.Drop()
	if got, want := there(), []string{"local", "mem://b/1", "mem://b/2", "mem://b/3"}; !slices.Equal(got, want) {
		t.Errorf("there is %q, want %q", got, want)
	}

	if _, err := CreateSet([]string{"mem://b/1", "mem://b/1"}); err == nil {
		t.Error("a name that is given twice is accepted")
	}
}

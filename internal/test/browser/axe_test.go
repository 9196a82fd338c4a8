package browser

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tfparse/tfparse/view"
)

// axePackage is the accessibility checker that npm gets for the test. It is not part of this repository.
const axePackage = "axe-core@4.11.0"

// axe returns the script of axe-core, or skips the test.
func axe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "pack", "--silent", axePackage)
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("skipped: npm does not get %s: %v %.300s", axePackage, err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "axe-core-*.tgz"))
	must(t, err)
	if len(names) != 1 {
		t.Skipf("skipped: npm wrote %q", names)
	}
	f, err := os.Open(names[0])
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Skipf("skipped: %s has no axe.min.js", axePackage)
		}
		must(t, err)
		if h.Name == "package/axe.min.js" {
			b, err := io.ReadAll(io.LimitReader(r, 4<<20))
			must(t, err)
			return string(b)
		}
	}
}

// TestAccessible holds that axe-core finds nothing that is moderate, serious or critical on any view.
func TestAccessible(t *testing.T) {
	b := start(t)
	script := axe(t)
	pets := newPets(t, 30)
	drives := newView(t, nil, writeRecords(t, "drives.tfrecord", 3, drive))
	search := newView(t, nil, writeRecords(t, "search.tfrecord", 3, query))
	for _, c := range []struct {
		name, fragment, ready string
		handler               *view.Handler
	}{
		{"records", "", rowsShown, pets},
		{"record", "#/records?file=0&record=2", paneShown, pets},
		{"damaged", "#/records?file=0&record=5", paneShown, pets},
		{"gallery", "#/gallery", `document.querySelector('.gallery img')`, pets},
		{"find", "#/find", `document.querySelector('.expression')`, pets},
		{"matches", "#/find?where=label%20%3D%3D%201", rowsShown, pets},
		{"steps", "#/records?file=0&record=1", paneShown, drives},
		{"candidates", "#/records?file=0&record=1", paneShown, search},
	} {
		for width, scheme := range map[int64]string{1280: "light", 390: "dark"} {
			p := openView(t, b, c.handler, c.fragment, width)
			media(t, p, "", scheme)
			waitFor(t, p, c.ready)
			do(t, p, script+`; 0`)
			for _, v := range eval[[]string](t, p, `axe.run().then(r => r.violations.filter(v => v.impact !== 'minor').map(v => v.impact + ' ' + v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + n.failureSummary).join(' | ')))`) {
				t.Errorf("%s, %d pixels, %s: %.700s", c.name, width, scheme, v)
			}
			p.close()
		}
	}
}

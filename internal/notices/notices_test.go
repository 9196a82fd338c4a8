package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

const goHeader = "// Copyright 2009 The Go Authors. All rights reserved.\n// Use of this source code is governed by a BSD-style\n// license.\n\npackage x\n"

// tree writes files below a folder of this test, and returns the folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, body := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestCollect proves that the licences of the folders of a linked package and of
// those above it are there, and no others.
func TestCollect(t *testing.T) {
	root := tree(t, map[string]string{
		"LICENSE":             "\r\nroot \r\n",
		"PATENTS":             "patents\n",
		"license.go":          goHeader,
		"README.md":           "none\n",
		"other/LICENSE":       "not linked\n",
		"in/NOTICE.txt":       "above a linked package\n",
		"in/deep/Licence-MIT": "in a linked package\n",
		"in/deep/a.go":        "// Copyright 2013 Somebody.\n",
		"in/deep/b.s":         "//    Copyright 2013 Somebody.\n",
		"in/deep/c.go":        "// Copyright 2014 Nobody: of another platform\n",
	})
	deep := linkedPackage{section: "m v1", path: "m/in/deep", dir: filepath.Join(root, "in", "deep"), root: root, files: []string{"a.go", "b.s"}}
	std := linkedPackage{section: goName, path: "x", dir: root, root: root}
	got, err := collect([]linkedPackage{deep, deep})
	if err != nil {
		t.Fatal(err)
	}
	want := []section{{"m v1", []text{
		{"LICENSE", "root\n"}, {"PATENTS", "patents\n"}, {"in/NOTICE.txt", "above a linked package\n"}, {"in/deep/Licence-MIT", "in a linked package\n"},
		{"source files of m/in/deep", "Copyright 2013 Somebody.\n"},
	}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}

	std.root = tree(t, map[string]string{"LICENSE": "Go's\n"})
	std.dir = std.root
	if got, err = collect([]linkedPackage{deep, std}); err != nil || len(got) != 2 || got[0].name != goName {
		t.Errorf("the section of Go does not come first: %q, %v", got, err)
	}
	deep.root = filepath.Join(root, "in")
	if _, err := collect([]linkedPackage{deep}); err == nil || !strings.Contains(err.Error(), "m v1 has no licence file in its root") {
		t.Errorf("a module without a licence: %v", err)
	}
	deep.root = filepath.Join(root, "other")
	if _, err := collect([]linkedPackage{deep}); err == nil || !strings.Contains(err.Error(), "is not below") {
		t.Errorf("a package outside of its module: %v", err)
	}
}

func TestNotices(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []string
	}{
		{"the Go authors alone", goHeader, nil},
		{"nothing", "package x\n\nconst s = \"Copyright 2001 Somebody\"\n// the copyright of nobody\n", nil},
		{"beside the Go authors", "// Copyright 2009 The Go Authors.\n// Copyright (c) 2015 Somebody\n// Use is free.\npackage x\n", []string{"Copyright 2009 The Go Authors.\nCopyright (c) 2015 Somebody\nUse is free.\n"}},
		{"behind a description, before another comment", "// It adds.\n//\n//\tCopyright © 1994 Somebody.\n//\n//\t Keep this.\n\n// Add adds.\n", []string{"Copyright © 1994 Somebody.\n\n Keep this.\n"}},
		{"between rules", "// From C.\n// ==========\n// Copyright (C) 1993 by Somebody.\n//\n// Keep this.\n// ==========\n// Method: none\n", []string{"Copyright (C) 1993 by Somebody.\n\nKeep this.\n"}},
		{"two, and the end of the file", "// Copyright 2001 A\n\n// Copyright 2002 B", []string{"Copyright 2001 A\n", "Copyright 2002 B\n"}},
		{"ends of lines of Windows", "// Copyright 2001 A\r\n// B\r\n\r\n", []string{"Copyright 2001 A\nB\n"}},
	} {
		if got := notices(c.source); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCompare takes the file of this repository and damages it.
func TestCompare(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, output))
	if err != nil {
		t.Fatal(err)
	}
	want := string(b)
	if err := compare(want, want); err != nil {
		t.Errorf("equal: %v", err)
	}
	sections := names(want)
	if len(sections) < 2 || sections[0] != goName {
		t.Fatalf("sections %q", sections)
	}
	for i, name := range sections {
		from := strings.Index(want, "\n"+heavy+"\n"+name+"\n")
		to := len(want)
		if i+1 < len(sections) {
			to = strings.Index(want, "\n"+heavy+"\n"+sections[i+1]+"\n")
		}
		less := want[:from] + want[to:]
		if err := compare(less, want); err == nil || err.Error() != "it has no section for "+name {
			t.Errorf("without %s: %v", name, err)
		}
		if err := compare(want, less); err == nil || err.Error() != "it has a section for "+name+", which is not linked" {
			t.Errorf("with %s in excess: %v", name, err)
		}
	}
	if err := compare("a\nb\nc\n", "a\nB\nc\n"); err == nil || err.Error() != `line 2 is "b", not "B"` {
		t.Errorf("another line: %v", err)
	}
	if err := compare("a", "a\nb"); err == nil || err.Error() != `line 2 is the end, not "b"` {
		t.Errorf("cut short: %v", err)
	}
}

// TestRequired proves that every module of go.mod that is linked has a section,
// without asking the go command about all platforms: .ci/run does that.
func TestRequired(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	sections := names(read(output))
	tests := []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"} // used by tests alone
	checked := 0
	for line := range strings.Lines(read("go.mod")) {
		f := strings.Fields(line)
		if len(f) != 2 || !strings.HasPrefix(f[1], "v") || slices.Contains(tests, f[0]) {
			continue // no requirement, or an indirect one
		}
		checked++
		if !slices.Contains(sections, f[0]+" "+f[1]) {
			t.Errorf("%s has no section for %s %s: go run ./internal/notices writes it anew", output, f[0], f[1])
		}
	}
	if checked < 4 {
		t.Errorf("only %d requirements were found in go.mod", checked)
	}
}

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// section is the part of the file for one module.
type section struct {
	name  string // module and version, or goName
	texts []text // sorted by source; licence files come before notices in source files
}

// text is a licence file, or a copyright notice in source files.
type text struct {
	source string // name of the file, or the packages
	body   string
}

// licenceFile matches the names of licence files, and of other files that a licence requires to be passed
// on. It also matches license.go, so exclude sourceFile.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)([-_.][\w.-]*)?$`)

// rootLicence matches the names of licence files in the root of a module.
var rootLicence = regexp.MustCompile(`(?i)^(licen[cs]e|copying)[^/]*$`)

var sourceFile = regexp.MustCompile(`(?i)\.(go|s|h)$`)

// gatherer collects the texts of one section.
type gatherer struct {
	files   map[string]string          // licence files: text by path in the module
	notices map[string]map[string]bool // notices in source files: the packages that contain each
}

// collect reads the texts of all packages: a section for each module, Go first.
func collect(packages []linkedPackage) ([]section, error) {
	found := map[string]gatherer{}
	seen := map[string]bool{} // folders and source files already read
	for _, p := range packages {
		g, ok := found[p.section]
		if !ok {
			g = gatherer{map[string]string{}, map[string]map[string]bool{}}
			found[p.section] = g
		}
		if err := g.addFiles(p, seen); err != nil {
			return nil, err
		}
		if err := g.addNotices(p, seen); err != nil {
			return nil, err
		}
	}
	var sections []section
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s, err := found[name].section(name)
		if err != nil {
			return nil, err
		}
		if name == goName {
			sections = slices.Insert(sections, 0, s)
		} else {
			sections = append(sections, s)
		}
	}
	return sections, nil
}

// addFiles adds the licence files in the folders of a package, except folders in seen.
func (g gatherer) addFiles(p linkedPackage, seen map[string]bool) error {
	dirs, err := p.folders()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if seen[dir] {
			continue
		}
		seen[dir] = true
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) || sourceFile.MatchString(e.Name()) {
				continue
			}
			name := filepath.Join(dir, e.Name())
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(p.root, name)
			if err != nil {
				return err
			}
			g.files[filepath.ToSlash(rel)] = clean(string(b))
		}
	}
	return nil
}

// addNotices adds the notices in the source files of a package, except files in seen.
func (g gatherer) addNotices(p linkedPackage, seen map[string]bool) error {
	for _, name := range p.files {
		name = filepath.Join(p.dir, name)
		if seen[name] {
			continue
		}
		seen[name] = true
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, n := range notices(string(b)) {
			if g.notices[n] == nil {
				g.notices[n] = map[string]bool{}
			}
			g.notices[n][p.path] = true
		}
	}
	return nil
}

// section returns the texts in order. A module without a licence in its root is an error, because its
// code must not be distributed.
func (g gatherer) section(name string) (section, error) {
	s := section{name: name}
	licensed := false
	for _, file := range slices.Sorted(maps.Keys(g.files)) {
		s.texts = append(s.texts, text{file, g.files[file]})
		licensed = licensed || rootLicence.MatchString(file)
	}
	if !licensed {
		return section{}, fmt.Errorf("%s has no licence file in its root", name)
	}
	for _, notice := range slices.Sorted(maps.Keys(g.notices)) {
		packages := strings.Join(slices.Sorted(maps.Keys(g.notices[notice])), ", ")
		s.texts = append(s.texts, text{"source files of " + packages, notice})
	}
	return s, nil
}

var (
	copyright = regexp.MustCompile(`(?i)copyright\b.*\b(19|20)\d\d\b`)
	rule      = regexp.MustCompile(`^\s*[=*-]{10,}\s*$`)
)

// notices returns the copyright notices in the comments of a source file, except those of the Go
// authors, whose licence is a file. A notice extends from the paragraph with the copyright to the end
// of the comment, or to a line of "====", because the licence follows the copyright.
//
// It reads only line comments that start a line; no linked source file has another form.
func notices(source string) (found []string) {
	var notice []string
	var begun bool // notice contains the copyright; until then, notice is the current paragraph
	end := func() {
		if begun {
			found = append(found, clean(unindent(notice)))
		}
		notice, begun = nil, false
	}
	for line := range strings.Lines(source) {
		comment, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "//")
		if !ok || rule.MatchString(comment) {
			end()
			continue
		}
		if !begun && strings.TrimSpace(comment) == "" {
			notice = nil
			continue
		}
		notice = append(notice, comment)
		begun = begun || copyright.MatchString(comment) && !strings.Contains(comment, "The Go Authors")
	}
	end()
	return found
}

// unindent removes the indentation that all lines share.
func unindent(lines []string) string {
	least := -1
	for _, l := range lines {
		if t := strings.TrimLeft(l, " \t"); t != "" && (least < 0 || len(l)-len(t) < least) {
			least = len(l) - len(t)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l[min(max(least, 0), len(l)):] + "\n")
	}
	return b.String()
}

// clean removes trailing space from all lines, and empty lines at both ends.
func clean(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \t\r\n\f") + "\n")
	}
	return strings.Trim(b.String(), "\n") + "\n"
}

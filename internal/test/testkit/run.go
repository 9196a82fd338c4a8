package testkit

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
)

var (
	onlyCases = flag.String("case", "", "run only the cases of vectors whose name matches the regular `expression`")
	maxErrors = flag.Int("errors", 20, "how many failed cases of one file are described")
)

// A Count is how many cases of a file, or of a key, came out how.
type Count struct {
	Cases, Passed, Failed, Unknown int
	Open                           int // expect nothing of us
	Excepted                       int // fail, as an exception says
}

func (n *Count) add(o outcome) {
	n.Cases++
	switch o {
	case passed:
		n.Passed++
	case failed:
		n.Failed++
	case unknown:
		n.Unknown++
	case open:
		n.Open++
	case excepted:
		n.Excepted++
	}
}

func (n *Count) sum(m Count) {
	n.Cases += m.Cases
	n.Passed += m.Passed
	n.Failed += m.Failed
	n.Unknown += m.Unknown
	n.Open += m.Open
	n.Excepted += m.Excepted
}

// String writes the count as it is printed for every file.
func (n Count) String() string {
	s := fmt.Sprintf("%5d cases %5d passed %5d failed %5d unknown", n.Cases, n.Passed, n.Failed, n.Unknown)
	if n.Open > 0 {
		s += fmt.Sprintf(" %5d expect nothing", n.Open)
	}
	if n.Excepted > 0 {
		s += fmt.Sprintf(" %5d held wrong", n.Excepted)
	}
	return s
}

// A report is what running one file gave.
type report struct {
	count  Count
	keys   map[string]*Count
	faults []string // what fails the test, in order
}

// Run runs every file of the family in Folder, prints the counts and fails the
// test for every outcome that is wrong or unknown. If FolderVariable names a
// folder that has nothing for this suite, or only what others run, the test is skipped.
func (s *Suite) Run(t *testing.T) {
	dir, own, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := regexp.Compile(*onlyCases)
	if err != nil {
		t.Fatal(err)
	}
	names, err := vectorFiles(dir, s.Family)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 && !own {
		if err := someFamily(dir); err != nil {
			t.Fatal(err)
		}
		t.Skipf("%s has no vectors of the family %s", dir, s.Family)
	}
	total, keys, seen, others := Count{}, map[string]*Count{}, map[string]bool{}, 0
	for _, name := range names {
		f, err := ReadVectors(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Files != nil && !s.Files(f) {
			others++
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			for _, c := range f.Cases {
				seen[c.Name] = true
			}
			every := s.Every
			if !own {
				every = 1
			}
			r := s.runFile(f, pattern, every)
			fmt.Fprintf(t.Output(), "%-28s %s\n", s.Family+"/"+f.Name, r.count)
			for i, fault := range r.faults {
				if i == *maxErrors {
					t.Errorf("and %d more", len(r.faults)-i)
					break
				}
				t.Error(fault)
			}
			total.sum(r.count)
			for key, n := range r.keys {
				if keys[key] == nil {
					keys[key] = &Count{}
				}
				keys[key].sum(*n)
			}
		})
	}
	if s.PerKey {
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			fmt.Fprintf(t.Output(), "  %-44s %s\n", cmp.Or(key, `""`), keys[key])
		}
	}
	fmt.Fprintf(t.Output(), "%-28s %s\n", s.Family, total)
	if others == len(names) && !own {
		t.Skipf("the vectors of the family %s in %s are all for other tests", s.Family, dir)
	}
	if total.Cases == 0 {
		t.Errorf("no case was run")
	}
	if *onlyCases == "" && own {
		for _, fault := range slices.Concat(s.stale(seen), s.idle(keys)) {
			t.Error(fault)
		}
	}
}

// runFile runs the cases of one file whose names match, or one in `every` of them.
func (s *Suite) runFile(f *File, pattern *regexp.Regexp, every int) report {
	r := report{keys: map[string]*Count{}}
	if f.Header.Vectors != s.Family {
		r.faults = append(r.faults, fmt.Sprintf("%s: the header says %q, wanted %q", f.Name, f.Header.Vectors, s.Family))
	}
	for _, c := range f.Cases {
		if !pattern.MatchString(c.Name) || every > 1 && c.Line%every != 0 {
			continue
		}
		key, keyErr := s.key(c)
		o, err := s.run(c)
		r.count.add(o)
		if keyErr == nil {
			if r.keys[key] == nil {
				r.keys[key] = &Count{}
			}
			r.keys[key].add(o)
		}
		if o == failed || o == unknown {
			text := fmt.Sprintf("%s:%d: %s\n%v", f.Name, c.Line, c.Name, err)
			if w := c.Want(); w.Ours {
				text += "\nnot what TensorFlow does: " + w.Why
			}
			r.faults = append(r.faults, text)
		}
	}
	return r
}

// stale returns a fault for every exception that names no case.
func (s *Suite) stale(seen map[string]bool) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(s.Exceptions)) {
		if !seen[name] {
			faults = append(faults, fmt.Sprintf("the exception %q names no case", name))
		}
	}
	return faults
}

// idle returns a fault for every check that ran no case, if every case was run.
func (s *Suite) idle(keys map[string]*Count) []string {
	var faults []string
	for _, key := range slices.Sorted(maps.Keys(s.checks)) {
		if keys[key] == nil && s.Files == nil && !s.MoreKeys && s.Every <= 1 {
			faults = append(faults, fmt.Sprintf("no case has the %s %q", s.Key, key))
		}
	}
	return faults
}

// someFamily returns an error if nothing in dir looks like vectors at all.
func someFamily(dir string) error {
	all, err := allVectorFiles(dir)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no vectors: no file in it begins with their header", dir)
	}
	return err
}

// Vectors returns the files of a family in Folder. If FolderVariable names a folder that has
// none, the test is skipped.
func Vectors(t testing.TB, family string) []*File {
	t.Helper()
	dir, own, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	names, err := vectorFiles(dir, family)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 && own {
		t.Fatalf("%s has no vectors of the family %s", dir, family)
	}
	if len(names) == 0 {
		t.Skipf("%s has no vectors of the family %s", dir, family)
	}
	files := make([]*File, len(names))
	for i, name := range names {
		if files[i], err = ReadVectors(name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Families returns the names of all families that Folder has vectors of.
func Families(t testing.TB) []string {
	t.Helper()
	dir, _, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	all, err := allVectorFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(all))
}

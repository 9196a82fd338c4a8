package lint

import (
	"fmt"
	"strconv"
	"strings"
)

// budgetFile has a line for each folder: its path, how many lines of Go it may have, and why the
// number is what it is, between tabs. A line counts what is shipped in the folder and below it, but
// for folders with a line of their own: no tests, no generated code, nothing in unbudgeted.
const budgetFile = "internal/test/lint/budget.txt"

// unbudgeted are folders with Go that is not shipped.
var unbudgeted = []string{"bench", "internal/test", "internal/linktest", "internal/simd/generate", "proto/generate"}

// ruleBudget holds folders to their size. A number may be raised, in a commit that says why.
func ruleBudget(r tree) (faults []string) {
	if !r.has(budgetFile) {
		return nil
	}
	budget, lines := map[string]int{}, map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(r.read(budgetFile))), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		n, err := strconv.Atoi(f[min(1, len(f)-1)])
		if err != nil || len(f) != 3 || f[2] == "" {
			faults = append(faults, fmt.Sprintf("%s: want a folder, a number and a reason between tabs: %q", budgetFile, line))
			continue
		}
		budget[f[0]] = n
	}
	for _, f := range r.goFiles() {
		if f.test || f.generated || anyBelow(f.dir, unbudgeted) {
			continue
		}
		if folder, _, ok := entry(budget, f.dir); ok {
			lines[folder] += f.lines
		} else {
			faults = append(faults, fmt.Sprintf("%s: %s has no line for its folder", f.name, budgetFile))
		}
	}
	for folder, n := range budget {
		switch have := lines[folder]; {
		case have == 0:
			faults = append(faults, fmt.Sprintf("%s: there is no Go in %s", budgetFile, folder))
		case have > n:
			faults = append(faults, fmt.Sprintf("%s has %d lines, at most %d are allowed: see %s", folder, have, n, budgetFile))
		}
	}
	return faults
}

func anyBelow(dir string, parents []string) bool {
	for _, p := range parents {
		if below(dir, p) {
			return true
		}
	}
	return false
}

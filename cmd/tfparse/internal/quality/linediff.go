package quality

import (
	"fmt"
	"strings"
)

// lineDiff returns the changes from one text to another as a unified diff with two lines of context. It is empty for
// equal texts.
func lineDiff(name, before, after string) []byte {
	if before == after {
		return nil
	}
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := fmt.Appendf(nil, "--- %s\n+++ %s as suggested\n", name, name)
	var lines []diffLine
	for _, l := range a[:head] {
		lines = append(lines, diffLine{' ', l})
	}
	lines = append(lines, alignLines(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail:] {
		lines = append(lines, diffLine{' ', l})
	}
	return appendHunks(out, lines)
}

// A diffLine is a line of a diff.
type diffLine struct {
	sign byte
	text string
}

// alignLines aligns two lists of lines by their longest common subsequence. For very long lists it removes all of a and
// adds all of b.
func alignLines(a, b []string) (out []diffLine) {
	if int64(len(a))*int64(len(b)) > 1<<24 {
		for _, l := range a {
			out = append(out, diffLine{'-', l})
		}
		for _, l := range b {
			out = append(out, diffLine{'+', l})
		}
		return out
	}
	common := make([][]int32, len(a)+1) // common[i][j] is the length of the longest common subsequence of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, diffLine{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, diffLine{'-', a[i]})
			i++
		default:
			out = append(out, diffLine{'+', b[j]})
			j++
		}
	}
	return out
}

// appendHunks appends the changed lines with their context. "…" replaces other lines.
func appendHunks(dst []byte, lines []diffLine) []byte {
	const around = 2
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l.sign != ' ' {
			for k := max(i-around, 0); k <= min(i+around, len(lines)-1); k++ {
				near[k] = true
			}
		}
	}
	for i, l := range lines {
		switch {
		case near[i]:
			dst = append(append(append(dst, l.sign), l.text...), '\n')
		case i == 0 || near[i-1]:
			dst = append(dst, "…\n"...)
		}
	}
	return dst
}

package quality

import (
	"fmt"
	"strings"
)

// lineDiff shows how a text changes: lines that go with a minus, lines that come with
// a plus, and up to two lines around them. Equal texts give nothing.
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
	lines = append(lines, changed(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail:] {
		lines = append(lines, diffLine{' ', l})
	}
	return appendNear(out, lines)
}

type diffLine struct {
	sign byte
	text string
}

// changed aligns two lists of lines by their longest common part. Of very long ones
// everything goes and everything comes.
func changed(a, b []string) (out []diffLine) {
	if int64(len(a))*int64(len(b)) > 1<<24 {
		for _, l := range a {
			out = append(out, diffLine{'-', l})
		}
		for _, l := range b {
			out = append(out, diffLine{'+', l})
		}
		return out
	}
	common := make([][]int32, len(a)+1) // of the ends of both
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

// appendNear appends the lines that change, and those near them; … stands for others.
func appendNear(dst []byte, lines []diffLine) []byte {
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

package expr

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A nodeKind says what a node of the syntax tree is.
type nodeKind uint8

const (
	// Values.
	nodeLiteral nodeKind = iota
	nodeName
	nodeCall // of a function; the checker makes other nodes of most
	nodeArithmetic
	nodeNegative
	nodeParentheses // also of a condition
	nodeAbs
	nodeLen
	nodeFeature   // of a record
	nodeStatistic // of a data set

	// Conditions.
	nodeOr
	nodeAnd
	nodeNot
	nodeCompare
	nodeMatch // a regular expression
	nodeIn    // the right side is a feature
	nodeRange // the right sides are both ends
	nodeSet   // the right sides are constants
	nodeHas
	nodeIsNaN
	nodeEach // any or all of a condition
)

// A node is a part of the syntax tree.
type node struct {
	kind     nodeKind
	at, opAt int    // bytes in the text: where it begins, and its operator
	name     string // of a name or a function; an operator
	args     []*node
	token    token // of a literal or a name, for errors

	constant value          // of a literal
	quoted   bool           // the name is between backquotes or in feature("…"), so it is not that of a statistic
	indexes  []int64        // after a name or a function
	data     Data           // that a statistic is of
	dataAt   int            // where the text says so, and 1; 0 where it does not
	negative bool           // not in, !~
	re       *regexp.Regexp // of a match

	// Set by the checker.
	feature     *feature
	statistic   *Statistic
	left, right *node      // of a comparison: the sides, and if one is tested value by value that is the left one
	op          operator   // of a comparison of left and right
	set         constants  // of a nodeSet
	each        []*feature // lists that a condition is evaluated for, element by element; nil: it is evaluated once
	all         bool       // it must hold for all elements; else for one
}

// isCondition reports whether a node is true or false, rather than a value.
func (n *node) isCondition() bool {
	switch n.kind {
	case nodeParentheses:
		return n.args[0].isCondition()
	case nodeCall:
		return n.name == "has" || n.name == "isnan" || (n.name == "any" || n.name == "all") && n.args[0].isCondition()
	}
	return n.kind >= nodeOr
}

// isConstant reports whether a value names nothing.
func (n *node) isConstant() bool {
	switch n.kind {
	case nodeLiteral:
		return true
	case nodeArithmetic, nodeNegative, nodeParentheses, nodeAbs:
		for _, x := range n.args {
			if !x.isConstant() {
				return false
			}
		}
		return true
	}
	return false
}

// visit calls f for a node and, where f returns true, for those below it, from left to right.
func (n *node) visit(f func(n *node) bool) {
	if f(n) {
		for _, x := range n.args {
			x.visit(f)
		}
	}
}

// describe names a node in an error.
func (n *node) describe() string {
	if n.kind == nodeLiteral || n.kind == nodeName && n.indexes == nil {
		return n.token.String()
	}
	return n.String()
}

// String returns the text of a node, in one form whatever the spaces were.
func (n *node) String() string { return string(n.append(nil)) }

// append appends the text of a node.
func (n *node) append(b []byte) []byte {
	switch n.kind {
	case nodeLiteral:
		return append(b, n.constant.String()...)
	case nodeFeature:
		return append(b, n.feature.String()...)
	case nodeStatistic:
		return append(b, n.statistic.String()...)
	case nodeName:
		return append(b, n.name...)
	case nodeArithmetic:
		return appendNodes(b, n.args, " "+n.name+" ")
	case nodeNegative:
		return n.args[0].append(append(b, '-'))
	case nodeParentheses:
		return append(n.args[0].append(append(b, '(')), ')')
	case nodeCall, nodeAbs, nodeLen, nodeIsNaN, nodeHas, nodeEach:
		b = append(appendNodes(append(append(b, n.name...), '('), n.args, ", "), ')')
		if n.data != Now {
			b = append(append(b, ' '), n.data.String()...)
		}
		return b
	case nodeOr:
		return appendNodes(b, n.args, " || ")
	case nodeAnd:
		return appendNodes(b, n.args, " && ")
	case nodeNot:
		return append(strip(n.args[0]).append(append(b, "!("...)), ')')
	}
	b = append(n.args[0].append(b), ' ')
	if n.kind == nodeRange {
		b = append(b, "in "...)
	}
	return n.appendWanted(b)
}

// appendWanted appends the text of a test without its left side.
func (n *node) appendWanted(b []byte) []byte {
	switch n.kind {
	case nodeMatch:
		return strconv.AppendQuote(append(append(b, n.name...), ' '), n.re.String())
	case nodeRange:
		return appendNodes(b, n.args[1:], "..")
	case nodeSet:
		if n.negative {
			b = append(b, "not "...)
		}
		return append(appendNodes(append(b, "in ["...), n.args[1:], ", "), ']')
	}
	return n.args[1].append(append(append(b, n.name...), ' '))
}

// appendNodes appends the texts of nodes with a text between them.
func appendNodes(b []byte, all []*node, between string) []byte {
	for i, n := range all {
		if i > 0 {
			b = append(b, between...)
		}
		b = n.append(b)
	}
	return b
}

// strip returns what is in parentheses.
func strip(n *node) *node {
	for n.kind == nodeParentheses {
		n = n.args[0]
	}
	return n
}

// quotedName returns a name as an expression has it.
func quotedName(name string) string {
	if t, err := lex(name, 0); err == nil && t.kind == tokenName && t.end == len(name) && t.at == 0 {
		return name
	}
	if !strings.Contains(name, "`") {
		return "`" + name + "`"
	}
	return fmt.Sprintf("feature(%q)", name)
}

// formatNumber writes a number for a person: integers in full, others with six digits.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

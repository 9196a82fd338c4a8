package expr

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A nodeKind is the kind of a node in the syntax tree.
type nodeKind uint8

const (
	// Values.
	nodeLiteral nodeKind = iota
	nodeName
	nodeCall // a function call; the checker turns most calls into other nodes
	nodeArithmetic
	nodeNegative
	nodeParentheses // around a value or a condition
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
	nodeRange // args[1] and args[2] are the ends of the range
	nodeSet   // args[1:] are constants
	nodeHas
	nodeIsNaN
	nodeEach // any(…) or all(…) around a condition
)

// A node of the syntax tree: a value or a condition.
type node struct {
	kind     nodeKind // from the parser; the checker refines it
	at, opAt int      // byte offsets in the text: of the node, and of its operator
	name     string   // a name, a function or an operator
	args     []*node  // operands or arguments
	token    token    // token of a literal or a name, for errors

	constant value          // value of a literal
	quoted   bool           // the name is between backquotes or in feature("…"), so it never names a statistic
	indexes  []int64        // indexes after a name or a function
	data     Data           // the data set of a statistic
	dataAt   int            // 1 + the offset of before, now or serving in the text; 0: none
	negative bool           // not in, !~
	re       *regexp.Regexp // regular expression of a nodeMatch

	// Set by the checker.
	feature     *feature    // of a name; else nil
	statistic   *Statistic  // of a nodeStatistic, or of a nodeHas about statistics; else nil
	left, right *node       // sides of a test; a side that is tested value by value is the left one
	op          operator    // operator between left and right
	set         constantSet // constants of a nodeSet
	each        []*feature  // lists for whose elements a condition is evaluated; nil: it is evaluated once
	all         bool        // the condition must hold for all elements, not only for one
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

// isConstant reports whether a value consists of literals only.
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

// visit calls f for a node and, if f returns true, visits its operands from left to right.
func (n *node) visit(f func(n *node) bool) {
	if f(n) {
		for _, x := range n.args {
			x.visit(f)
		}
	}
}

// describeNode describes a node for an error.
func (n *node) describeNode() string {
	if n.kind == nodeLiteral || n.kind == nodeName && n.indexes == nil {
		return n.token.String()
	}
	return n.String()
}

// String returns the text of a node with normalized spaces.
func (n *node) String() string { return string(n.appendText(nil)) }

// appendText appends the text of a node.
func (n *node) appendText(b []byte) []byte {
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
		return n.args[0].appendText(append(b, '-'))
	case nodeParentheses:
		return append(n.args[0].appendText(append(b, '(')), ')')
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
		return append(stripParentheses(n.args[0]).appendText(append(b, "!("...)), ')')
	}
	b = append(n.args[0].appendText(b), ' ')
	if n.kind == nodeRange {
		b = append(b, "in "...)
	}
	return n.appendTest(b)
}

// appendTest appends the text of a test without its left side.
func (n *node) appendTest(b []byte) []byte {
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
	return n.args[1].appendText(append(append(b, n.name...), ' '))
}

// appendNodes appends the texts of nodes with a separator.
func appendNodes(b []byte, nodes []*node, separator string) []byte {
	for i, n := range nodes {
		if i > 0 {
			b = append(b, separator...)
		}
		b = n.appendText(b)
	}
	return b
}

// stripParentheses returns a node without the parentheses around it.
func stripParentheses(n *node) *node {
	for n.kind == nodeParentheses {
		n = n.args[0]
	}
	return n
}

// quotedName returns a name in the syntax of expressions.
func quotedName(name string) string {
	if t, err := lex(name, 0); err == nil && t.kind == tokenName && t.end == len(name) && t.at == 0 {
		return name
	}
	if !strings.Contains(name, "`") {
		return "`" + name + "`"
	}
	return fmt.Sprintf("feature(%q)", name)
}

// formatNumber formats integers in full, and other numbers with six digits.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

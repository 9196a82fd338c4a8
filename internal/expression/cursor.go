package expression

import "slices"

// Marks are the operators and brackets that all expressions have; of two that begin alike the longer one is first.
var Marks = []string{"||", "&&", "==", "!=", "<=", ">=", "=~", "!~", "<", ">", "!", "(", ")", "[", "]", ","}

// Comparisons are the operators of comparisons.
var Comparisons = []string{"==", "!=", "<", "<=", ">", ">=", "=~", "!~"}

// MaxDepth is how deep parentheses and negations nest.
const MaxDepth = 100

// A Cursor reads an expression from left to right, with one token in hand.
type Cursor struct {
	Text  string
	Marks []string
	Token Token
	end   int // of the token
}

// Advance takes the next token in hand. The error of this and of all methods is an *Error.
func (c *Cursor) Advance() (err error) {
	c.Token, c.end, err = c.lex(c.end)
	return err
}

// Errorf returns an error at a byte.
func (c *Cursor) Errorf(at int, format string, args ...any) error { return errorf(at, format, args...) }

// Want returns the error of a token that stands where something else is wanted.
func (c *Cursor) Want(what string) error {
	return errorf(c.Token.At, "want %s, got %v", what, c.Token)
}

// Is reports whether the token is a mark.
func (c *Cursor) Is(mark string) bool { return c.Token.Kind == Mark && c.Token.Text == mark }

// Word reports whether the token is a bare word.
func (c *Cursor) Word(word string) bool { return c.Token.Kind == Name && c.Token.Text == word }

// IsComparison reports whether the token is an operator of comparisons.
func (c *Cursor) IsComparison() bool {
	return c.Token.Kind == Mark && slices.Contains(Comparisons, c.Token.Text)
}

// Expect reads a mark.
func (c *Cursor) Expect(mark string) error {
	if !c.Is(mark) {
		return c.Want("\"" + mark + "\"")
	}
	return c.Advance()
}

// Call reports whether the token is a word with a parenthesis behind it.
func (c *Cursor) Call(word string) bool {
	if !c.Word(word) {
		return false
	}
	next, _, err := c.lex(c.end)
	return err == nil && next.Kind == Mark && next.Text == "("
}

// Name reads the name of a feature: a bare word, one between backquotes, or feature("…"). instead says what else
// may stand there.
func (c *Cursor) Name(instead string) (string, error) {
	name := c.Token.Text
	switch {
	case c.Call("feature"):
		if err := c.Advance(); err != nil {
			return "", err
		}
		if err := c.Expect("("); err != nil {
			return "", err
		}
		if name = c.Token.Text; c.Token.Kind != String {
			return "", c.Want("a name as a string")
		}
		if err := c.Advance(); err != nil {
			return "", err
		}
		return name, c.Expect(")")
	case c.Token.Kind == Name || c.Token.Kind == Quoted:
		return name, c.Advance()
	}
	return "", c.Want(instead)
}

// Logic reads conditions that are joined by "||", "&&" and "!", and makes nodes of them.
type Logic[N any] struct {
	*Cursor
	Or, And func([]N) N
	Not     func(N) N
	Test    func() (N, error) // reads one condition
	Group   func() bool       // whether "(" begins a group of conditions; nil: it always does
}

// Parse reads a whole expression, to the end of the text.
func (l *Logic[N]) Parse() (n N, err error) {
	if err := l.Advance(); err != nil {
		return n, err
	}
	if n, err = l.or(0); err != nil {
		return n, err
	}
	if l.Token.Kind != End {
		return n, l.Want("&&, || or the end")
	}
	return n, nil
}

func (l *Logic[N]) or(depth int) (N, error) { return l.chain("||", depth, l.and, l.Or) }

func (l *Logic[N]) and(depth int) (N, error) { return l.chain("&&", depth, l.not, l.And) }

// chain reads parts with an operator between them.
func (l *Logic[N]) chain(mark string, depth int, part func(int) (N, error), join func([]N) N) (N, error) {
	var all []N
	for {
		n, err := part(depth)
		if err != nil {
			return n, err
		}
		all = append(all, n)
		if !l.Is(mark) {
			break
		}
		if err := l.Advance(); err != nil {
			return n, err
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return join(all), nil
}

func (l *Logic[N]) not(depth int) (n N, err error) {
	if depth++; depth > MaxDepth {
		return n, errorf(l.Token.At, "the expression nests more than %d deep", MaxDepth)
	}
	switch {
	case l.Is("!"):
		if err := l.Advance(); err != nil {
			return n, err
		}
		n, err := l.not(depth)
		if err != nil {
			return n, err
		}
		return l.Not(n), nil
	case l.Is("(") && (l.Group == nil || l.Group()):
		if err := l.Advance(); err != nil {
			return n, err
		}
		n, err := l.or(depth)
		if err != nil {
			return n, err
		}
		return n, l.Expect(")")
	}
	return l.Test()
}

// Package filter has expressions that select records, such as
//
//	label == 3 && len(tokens) > 0 && "gluten" in tags
//
// [Compile] reads an expression once, without a schema; [Filter.Match] evaluates it for an
// encoded Example, [Filter.MatchSequence] for a SequenceExample, and [Filter.MatchList] for an
// ExampleListWithContext. None decodes a feature that the expression does not name. The verb
// filter of the command, and cat --where, take the same expressions.
//
// # Grammar
//
//	Expr       = And { "||" And } .
//	And        = Not { "&&" Not } .
//	Not        = "!" Not | "(" Expr ")" | Test .
//	Test       = "has" "(" Feature ")"
//	           | "isnan" "(" Feature ")"
//	           | Operand Compare Operand
//	           | Operand ( "=~" | "!~" ) String
//	           | Operand "in" ( Feature | "[" Literal { "," Literal } "]" ) .
//	Compare    = "==" | "!=" | "<" | "<=" | ">" | ">=" .
//	Operand    = Literal | Feature | "len" "(" Feature ")"
//	           | ( "any" | "all" ) "(" Feature ")" .
//	Feature    = ( Name | "list" "(" Name ")" [ Index ] ) [ Index ] .
//	Index      = "[" Integer "]" .
//	Name       = bare | "`" { character } "`" | "feature" "(" String ")" .
//	Literal    = Integer | Float | String .
//
// A bare name begins with a letter, "_" or a character that is not ASCII, and goes on with
// these, digits, "/", "." and "-": ingredients/name and user-id need no quotes. Any other name
// stands between backquotes, or as a string in feature("…"). Words such as len and in are names
// where the grammar does not have them.
//
// A string stands between double quotes, with the escapes of Go, or between single quotes
// without escapes; it may hold any bytes ("\xff"). Integers may be hexadecimal (0x1f). Numbers do not begin
// with zeros: 010 is octal to some and decimal to others.
//
// # Values
//
// A feature has any number of values. A comparison holds if it holds for some value, except
// that "!=" and "!~" hold if they hold for every value, so that they are the opposite of
// "==" and "=~". any(x) and all(x) say which one is meant: all(x) < 5. x[0] is the first
// value alone, x[-1] the last. len(x) is the number of values. "a" in x is x == "a".
// x in [1, 2] holds if some value is one of these, and all(x) in [1, 2] if every value is.
//
// Two features are compared value by value with indexes, as in start[0] < end[0]: one side of a
// comparison must be a literal, a len or a feature with an index and without any and all.
//
// In a SequenceExample a name is that of a feature of the context, and list(name) is a feature
// list. Its values are those of all steps, in order; len(list(x)) is the number of steps,
// list(x)[2] the feature in step 2, and list(x)[2][0] its first value. In an Example there is
// no feature list.
//
// In an ExampleListWithContext a name is that of a feature of the context, and list(name) is the
// feature of that name in the examples: its values are those of all examples, in order;
// list(x)[2] is the feature x of example 2, and list(x)[-1][0] the first value that the last
// example has of it. len(list(x)) is the number of examples, whether or not they have x;
// has(list(x)) is true if some example has x.
//
// # What is missing
//
// A feature that is missing, that has no kind or no values, and an index behind the last value
// have no values: every comparison is false, all(x) and "!=" are true, and len is 0. has(x) tells
// them apart: it is true if the message has the feature, or as many values as the index needs.
//
// # Numbers
//
// Integers are compared exactly, also with floats: 9007199254740993 is not
// 9007199254740992.0. A float literal is rounded to float32 before it is compared with float32
// values, as NumPy and TensorFlow do, so score == 0.1 finds the float32 nearest to 0.1.
// With a NaN every comparison is false but "!="; isnan(x) holds if some value is NaN.
// Strings are compared as bytes. "=~" searches for a regular expression of package regexp
// anywhere in the value; ^ and $ anchor it.
//
// A number compared with a feature of strings, or a string with one of numbers, is an error that
// wraps [example.ErrKind]: most likely the expression is wrong. "&&" and "||" evaluate their right
// side only if it matters.
//
// # Limits
//
// An expression has at most 64 KiB, and nests at most 100 deep.
package filter

// Package recordjson turns records into JSON lines, and JSON lines into records, without a
// spec: [Printer] and [Encoder] work on encoded messages and allocate nothing for a record.
// For JSON of what a spec makes of records see package feature/raggedjson.
//
// # Format
//
// One line is one record, an object without line breaks:
//
//	Example                 {"name": VALUE, …}
//	SequenceExample         {"context": {"name": VALUE, …}, "feature_lists": {"name": [VALUE, …], …}}
//	ExampleListWithContext  {"context": {"name": VALUE, …}, "examples": [{"name": VALUE, …}, …]}
//	any bytes               {"b64": "…"}, or {"hex": "…"}
//
// A VALUE is null for a feature without kind, otherwise the list of its
// values. The typed form puts an object around the list that names its kind:
// {"int64": [1, 2]}, {"float32": [1.0]}, {"string": ["a"]}. Names are sorted
// by their bytes. A SequenceExample always has both members, an
// ExampleListWithContext has "context" if the message has one.
//
// An int64 is a number. A float32 is the shortest number that reads back to
// it, and always has a point or an exponent; NaN and infinities are "NaN",
// "Infinity", "-Infinity". A byte string is a JSON string if it is UTF-8,
// otherwise {"b64": "…"}. [Options] change these forms, and some of them
// cannot be read back: nan as null, bytes as len, and int64 as string in the
// untyped form unless the kind is given.
//
// A name that is not UTF-8, or begins with "b64:", prints as "b64:" and its
// base64. So do, in the features of an Example at the top of a line, names
// that would be taken for something else: "_file", "_record" and "_offset",
// which say where a record was found and are passed over when read (they are
// scalars; a list there is an error, since it may be a feature); a lone
// "examples" with an empty list; and, beside "context", an empty
// "feature_lists" in the typed form.
//
// # Reading
//
// An [Encoder] takes both forms, feature by feature. In the untyped form the
// kind follows from the values: integers are int64; a list in which any number has a
// point or an exponent, or a number stands beside "NaN", "Infinity" or
// "-Infinity", is float32; strings, {"b64"} and {"hex"} are strings, and so are
// "NaN" and the infinities among themselves. An empty list is a feature without
// kind, as null is: TensorFlow parses that as one without values whatever the
// kind of the feature is, but refuses a record whose kind is another. A kind that
// is given settles doubts; other mixtures are errors. The steps of a feature
// list are judged together, and an empty step is of the kind of the others.
// Nothing is guessed: numbers out of range, numbers that would be rounded to 0, invalid UTF-8, halves of
// surrogate pairs, members that stand twice, null inside a list are errors,
// with the column in the line.
//
// The type of the message follows from the shape of the line: the value of a
// feature is null, a list, or an object around one list, which the members of
// the other messages are not. All lines of a stream are of one type. A line of
// nothing but "context" is an Example with a feature of that name, in the typed
// form: the other messages print "feature_lists" or "examples" beside it.
//
// # What is kept
//
// Printed in the typed form and read back, every record decodes to an equal
// one: kinds of empty lists, names and byte strings of any bytes, bits of
// NaNs ({"nan": "7fc00001"} where "NaN" would be another). What no decoder
// reads, such as unknown fields and shadowed duplicates, is not printed, and
// the encoding itself becomes the deterministic one of package example.
//
// The untyped form loses some information. An empty list is read back without
// its kind, and prints as null from then on. A list that holds nothing but NaN and
// infinities is read back as strings, and bits of NaNs may change. A feature list
// with steps of different kinds is an error. All else, printed with the default
// options, is read back to a record that prints as the same line.
//
// # Memory and limits
//
// A [Printer] and an [Encoder] keep scratch memory, as large as the largest
// record so far, and are for one goroutine at a time. Neither keeps what it is
// given. Neither allocates once the scratch has grown. A line nests at most
// 10,000 levels, the limit of encoding/json; the caller limits its length.
//
// An Encoder reads a line in one pass, and checks the grammar as it goes. A line
// with any fault is read again with encoding/json, so that a fault in the grammar
// is reported first, in its words. For an array, and for NaN and Infinity as Python's json.dumps
// writes them, the words are our own, and say what to write.
package recordjson

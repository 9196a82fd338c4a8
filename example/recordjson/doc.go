// Package recordjson prints records as JSON lines, and encodes JSON lines as records, without a
// spec: [Printer] and [Encoder] work on encoded messages and allocate nothing per record.
// To print the columns of a spec as JSON, see package feature/raggedjson.
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
// values. The typed form wraps the list in an object that names its kind:
// {"int64": [1, 2]}, {"float32": [1.0]}, {"string": ["a"]}. Names are sorted
// by their bytes. A SequenceExample always has both members, an
// ExampleListWithContext has "context" only if the message has one.
//
// An int64 is a number. A float32 is the shortest number that reads back to
// it, and always has a point or an exponent; NaN and infinities are "NaN",
// "Infinity", "-Infinity". A byte string is a JSON string if it is UTF-8,
// otherwise {"b64": "…"}. [Options] change these forms, and some of them
// cannot be read back: nan as null, bytes as len, and int64 as string in the
// untyped form unless the kind is given.
//
// A name that is not UTF-8, or begins with "b64:", is printed as "b64:" and its
// base64. In the features of an Example at the top level of a line, this also
// applies to names with another meaning there: "_file", "_record" and "_offset",
// the position of the record, which the Encoder ignores (they are scalars; a list
// is an error, because it may be a feature); a lone "examples" with an empty list;
// and, beside "context", an empty "feature_lists" in the typed form.
//
// # Reading
//
// An [Encoder] accepts both forms, for each feature. In the untyped form the
// values determine the kind: integers are int64. A list is float32 if any number
// has a point or an exponent, or if it has numbers and "NaN", "Infinity" or
// "-Infinity". Strings, {"b64"} and {"hex"} are strings, and so is a list that has
// only "NaN" and infinities. An empty list is a feature without kind, like null:
// TensorFlow parses such a feature as empty for every kind, but rejects a record
// with another kind. A kind given by the caller decides unclear cases; other
// mixtures are errors. The steps of a feature list have one kind, and an empty
// step gets the kind of the others. Nothing is guessed: numbers out of range,
// numbers that would be rounded to 0, invalid UTF-8, unpaired surrogates,
// duplicate members, and null inside a list are errors, with the column in the line.
//
// The shape of a line determines the type of its message: the value of a feature
// is null, a list, or an object around one list, unlike the members of the other
// messages. All lines of a stream have one type. A line with only "context" is an
// Example with a feature of that name, in the typed form: the other messages also
// print "feature_lists" or "examples".
//
// # Round trips
//
// A record that is printed in the typed form and read back is equal after
// decoding: this includes the kinds of empty lists, names and strings of any bytes,
// and the bits of NaNs ({"nan": "7fc00001"} if "NaN" would differ). Fields that no
// decoder reads, such as unknown fields and shadowed duplicates, are not printed,
// and the result has the deterministic encoding of package example.
//
// The untyped form loses some information. An empty list is read back without its
// kind, and then prints as null. A list of only NaN and infinities is read back as
// strings, and the bits of NaNs may change. A feature list with steps of different
// kinds is an error. Every other record, printed with the default options, is read
// back to a record that prints as the same line.
//
// # Memory and limits
//
// A [Printer] and an [Encoder] keep buffers as large as the largest record so far,
// and allocate nothing once these have grown. They do not retain their arguments
// and are not safe for concurrent use. A line nests at most 10,000 levels, the
// limit of encoding/json; the caller limits its length.
//
// An Encoder reads a line in one pass, including the check of the grammar. It reads
// an invalid line again with encoding/json, so that a syntax error is reported
// first, with that package's message. It allows one thing that JSON does not: NaN,
// Infinity and -Infinity as numbers, which Python's json.dumps writes.
package recordjson

// Package canonical reads messages that are in the encoding that every known writer produces: in
// a map of features the key before its value; in a Feature one list, or nothing; numbers packed, in
// one piece; tags of one byte. That is nearly every message, and knowing what comes next makes
// reading it four to eight times as fast.
//
// There are layers; each uses the one before:
//
//	Int64, Bytes, AppendFloats, …    the values of one Feature
//	Int64Steps, BytesStep, …       the steps of one feature list, many at a time
//	Index, Walk                      the values of known keys in maps of features or feature lists
//	Names                            a Walk that learns the keys it meets
//
// and for whole messages CheckExample, CheckSequence and CheckList. Package message divides messages
// with them.
//
// No function here refuses anything for good. Each one may say of any message that it is not
// canonical; then package example, which knows every encoding, has to read it. So what has to hold is
// that a message which is accepted here has the same meaning there, and tests compare the two.
package canonical

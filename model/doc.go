// Package model brings parsed columns to a model: it reads which inputs the
// signatures of a TensorFlow SavedModel have, ragged ones too.
//
//	m, err := model.Open("export/1")
//	sig, err := m.Signature("serving_default")
//	for _, in := range sig.Inputs {
//		fmt.Println(in) // feats/a: ragged int64 [?, ?] = feats, feats_1
//	}
//
// # Inputs as structure
//
// A signature knows tensors only. TensorFlow splits a ragged argument into flat
// values and row_splits, a sparse one into indices, values and dense_shape, and
// names them by its own rules: a ragged argument "tokens" of ragged rank 2 is
// "tokens", "tokens_1" and "tokens_2"; the members of a dict named "feats" are
// "feats", "feats_1" and so on, whatever their keys. A [TensorSpec] is one argument
// as the function has it, and its [Component] values are those tensors, in order.
//
// The structure comes from the objects that tf.saved_model.save writes beside the
// graph: the wrapper function of the signature, the one call in it, and the saved
// signature of the function that is called. In a model of TensorFlow 1 it comes
// from the signature itself. Where a model does not have it, TensorSpec.Unknown
// says why; nothing is guessed from names.
//
// # Size and limits
//
// A saved_model.pb may have hundreds of megabytes of constants. [Open] and [Read]
// skip the nodes of the graph and hold only what the signatures need, so the file
// is never in memory as a whole. Anything that exceeds a limit is an error that
// wraps [ErrLimit]: 10 million fields looked at, 16 MiB of messages that are held,
// 100,000 inputs, outputs and members in all, nesting of 64 levels.
package model

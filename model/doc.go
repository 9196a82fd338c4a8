// Package model brings parsed columns to a model: it reads which inputs the
// signatures of a TensorFlow SavedModel have, ragged ones too, makes of a batch the
// tensors that they take, and writes and reads the messages of TensorFlow Serving. It opens no
// connection: bytes go in and out, and the client is the caller's.
//
//	m, err := model.Open("export/1")
//	sig, err := m.Signature("serving_default")
//	for _, in := range sig.Inputs {
//		fmt.Println(in) // feats/a: ragged int64 [?, ?] = feats, feats_1
//	}
//	binding, err := model.Bind(sig, spec, nil)      // once
//	feeds, err = binding.Feeds(feeds[:0], batch)    // for each batch
//	body, err = model.AppendPredictRequest(body[:0], model.ModelSpec{Name: "ranker"}, feeds)
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
// from the signature itself. If a concrete function was exported, TensorFlow saves its
// structure under another trace of the function, which is taken if it has the same
// name, arguments and tensors, and there is only one such structure. Where a model does not
// have it, TensorSpec.Unknown says why.
//
// # Columns as inputs
//
// [Bind] finds the feature of a spec for each input, and checks that they fit as
// tf.RaggedTensorSpec does: dtype, rank, ragged rank, uniform dimensions, a fixed number of
// rows. [Binding.Feeds] makes the components for each batch. TensorFlow accepts row_splits that
// do not fit their values; those of a batch always do.
//
// # Tensors
//
// [DecodeTensor] and [AppendTensor] read and write TensorProto, the message in which
// requests to TensorFlow Serving and its answers hold tensors. Decoding follows Serving, which
// reads some messages that Python refuses: strings in tensor_content, and string tensors
// without values. It refuses what Serving reads with a loss:
//
//   - values beyond the last element, and half a complex number: Serving drops them
//   - values in the field of another type, or of another wire type: Serving reads zeros
//   - values out of the range of the type, such as 256 for uint8: Serving wraps them
//   - strings in both tensor_content and string_val: Serving drops those in string_val
//   - types of less than a byte, variants and resources
//   - more than [MaxFill] bytes for values that are not in the message
//
// # Warm-up
//
// TensorFlow Serving runs the requests of [WarmupFile] before it serves a model, and one that fails stops the
// model from loading. [AppendWarmup] makes a record of that file from feeds, and checks them against the
// signature first; [AppendPredictionLog] from a request of Examples.
//
// # Size and limits
//
// A saved_model.pb may have hundreds of megabytes of constants. [Open] and [Read]
// skip the nodes of the graph and hold only what the signatures need, so the file
// is never in memory as a whole. Anything that exceeds a limit is an error that
// wraps [ErrLimit]: 5 million fields looked at, 16 MiB of messages that are held,
// 100,000 inputs, outputs and members in all, nesting of 64 levels.
package model

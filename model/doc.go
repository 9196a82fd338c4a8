// Package model feeds parsed columns to models. It reads the inputs of the signatures of a
// TensorFlow SavedModel, ragged ones too, converts a batch to their tensors, and writes and
// reads messages of TensorFlow Serving. It opens no connection: the client is the caller's.
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
// A signature has tensors only. TensorFlow splits a ragged argument into flat values and
// row_splits, a sparse one into indices, values and dense_shape, and names them by its own
// rules: a ragged argument "tokens" of ragged rank 2 is "tokens", "tokens_1" and "tokens_2";
// the members of a dict named "feats" are "feats", "feats_1" and so on, whatever their keys.
// A [TensorSpec] is one argument of the function, and its [Component] values are the
// tensors, in order.
//
// The structure comes from the object graph that tf.saved_model.save writes: the wrapper
// function of the signature, the one call in it, and the saved arguments of the called
// function. In a model of TensorFlow 1 it comes from the signature itself. For an exported
// concrete function TensorFlow saves the structure under another trace of the function,
// which is used if it has the same name, arguments and tensors and is the only one. If the
// model does not have the structure, TensorSpec.Unknown has the reason.
//
// # Columns as inputs
//
// [Bind] finds the feature of a spec for each input, with the checks of tf.RaggedTensorSpec:
// dtype, rank, ragged rank, uniform dimensions, a fixed number of rows. [Binding.Feeds] makes
// the components for each batch. TensorFlow accepts row_splits that do not fit their values;
// those of a batch always fit.
//
// # Tensors
//
// [DecodeTensor] and [AppendTensor] read and write TensorProto, the tensors in requests to
// TensorFlow Serving and in its responses. Decoding follows Serving, which reads some messages
// that Python refuses: strings in tensor_content, and string tensors without values. It
// refuses messages of which Serving loses a part:
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
// TensorFlow Serving runs the requests of [WarmupFile] before it serves a model, and does not
// load the model if one fails. [AppendWarmup] makes a record of that file from feeds, after
// checking them against the signature; [AppendPredictionLog] makes one from any request.
//
// # Size and limits
//
// A saved_model.pb may have hundreds of megabytes of constants. [Open] and [Read] skip the
// nodes of the graph and load only the messages of signatures and their functions. Beyond a
// limit they return an error that wraps [ErrLimit]: 5 million fields read, 16 MiB of loaded
// messages, 100,000 inputs, outputs and members in all, 64 levels of nesting.
package model

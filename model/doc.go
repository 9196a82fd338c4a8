// Package model feeds parsed columns to TensorFlow models. It reads the signatures of a
// SavedModel, including ragged and sparse inputs, converts a batch to the input tensors, and
// encodes and decodes messages of TensorFlow Serving. It does not open connections: the caller
// sends the requests.
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
// function of the signature, the only call in it, and the saved arguments of the called
// function. In a TensorFlow 1 model the signature itself contains the structure. For an
// exported concrete function, TensorFlow saves the structure with another trace of the
// function. Package model uses that trace if its name, arguments and tensors match and no
// other trace matches. If the model lacks the structure, TensorSpec.Unknown is the reason.
//
// # Columns as inputs
//
// [Bind] finds the feature of a spec for each input. It checks dtype, rank, ragged rank, uniform
// dimensions and a fixed number of rows, as tf.RaggedTensorSpec does. [Binding.Feeds] makes the
// components for each batch. TensorFlow accepts row_splits that do not fit their values; the
// row_splits of a batch always fit.
//
// # Tensors
//
// # Warm-up
//
// TensorFlow Serving runs the requests in [WarmupFile] before it serves a model. It does not
// load the model if a request fails. [AppendWarmup] checks feeds against the signature and
// appends a record of that file. [AppendPredictionLog] appends a record with any request.
//
// # Size and limits
//
// A saved_model.pb may have hundreds of megabytes of constants. [Open] and [Read] skip the
// nodes of the graph and load only the messages of signatures and their functions. They return an
// error that wraps [ErrLimit] beyond 5 million fields, 16 MiB of loaded messages, 100,000
// inputs, outputs and members, or 64 levels of nesting.
package model

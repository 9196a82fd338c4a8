// Package serving has the verbs for models: model prints the signatures of a SavedModel and checks data against
// them; request and warmup make requests to TensorFlow Serving from records.
package serving

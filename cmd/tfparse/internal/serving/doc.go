// Package serving has the verbs that are about models: which inputs a SavedModel has, whether data fit
// them, and requests to TensorFlow Serving that are made of records.
package serving

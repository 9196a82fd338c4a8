// Package serving has the verb that is about models and not about records: which inputs a SavedModel
// has, and whether data fit them.
package serving

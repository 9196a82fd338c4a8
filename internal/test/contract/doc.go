// Package contract holds the command to the JSON Schemas in docs/json: every JSON output has
// one, fits it, and prints every member that it describes. It is a module of its own because
// it needs a validator, and a parser for the Kubernetes Jobs of docs/many-machines.md. Go's cache of test results does not see that the command or a schema has
// changed, which are outside of the module: run its tests with -count=1.
package contract

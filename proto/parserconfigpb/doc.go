// Package parserconfigpb is the generated Go of parser_config.proto: TensorFlow's
// ExampleParserConfiguration in its wire form and with its text form, under
// names of our own.
//
// Package feature/featurepb makes specs of it.
package parserconfigpb

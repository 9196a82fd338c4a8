module github.com/tfparse/tfparse/internal/test/contract

go 1.26.0

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	go.yaml.in/yaml/v3 v3.0.6
	google.golang.org/protobuf v1.36.12
)

require github.com/klauspost/compress v1.20.4 // indirect

require (
	github.com/tfparse/tfparse v0.0.0
	golang.org/x/text v0.14.0 // indirect
)

replace github.com/tfparse/tfparse => ../../../

module github.com/tfparse/tfparse/bench

go 1.26.0

require (
	github.com/tfparse/tfparse v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/tfparse/tfparse => ../

package serving_test

import (
	"log"
	"log/slog"
	"net/http"

	"github.com/tfparse/tfparse/serving"
)

// The service as a part of a program that has its own server, other routes and authentication.
func ExampleService_Handler() {
	var cfg serving.Config // the model, the spec, the model server, the limits
	authenticate := func(h http.Handler) http.Handler { return h }
	mux := http.NewServeMux()

	service, err := serving.NewService(cfg, slog.Default())
	if err != nil {
		log.Fatal(err)
	}
	defer service.Close()
	mux.Handle("/", authenticate(service.Handler())) // POST /v1/predict, GET /healthz, /readyz, /metrics
}

package view_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/tfparse/tfparse/view"
)

// A service mounts the pages of a data set under a prefix, and authenticates its users itself.
func Example() {
	pages, err := view.New([]string{"../testdata/recipes.tfrecord"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pages.Close()
	mux := http.NewServeMux()
	mux.Handle("/data/recipes/", http.StripPrefix("/data/recipes", pages))

	server := httptest.NewServer(mux)
	defer server.Close()
	resp, err := http.Get(server.URL + "/data/recipes/api/check?where=minutes+%3E+20")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status, resp.Header.Get("Content-Type"))
	// Output: 200 OK application/json
}

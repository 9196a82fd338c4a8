package store_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/store"
)

func ExampleRegister() {
	// In a program the names would be "gs://bucket/recipes.tfrecord" or "s3://bucket/train@12", and there would be no server.
	server := httptest.NewServer(http.FileServer(http.Dir("../testdata")))
	defer server.Close()
	names := []string{server.URL + "/recipes.tfrecord", server.URL + "/sessions.tfrecord"}

	store.Register(nil)
	records := dataset.NewFiles(names, nil).Records(context.Background())
	defer records.Close()
	for record, err := range records.All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if pos := records.Pos(); pos.Record == 0 {
			fmt.Printf("offset %d: %d bytes\n", pos.Offset, len(record))
		}
	}
	fmt.Println(records.Stats().Records, "records")
	// Output:
	// offset 0: 538 bytes
	// offset 0: 182 bytes
	// 18 records
}

func ExamplePublic() {
	store.Register(nil)
	signed := "https://bucket.example.com/train.tfrecord?X-Amz-Credential=AKIDEXAMPLE&X-Amz-Signature=0123456789"
	fmt.Println(store.Public(signed))
	// Output: https://bucket.example.com/train.tfrecord
}

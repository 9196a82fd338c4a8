package tfds_test

import (
	"fmt"

	"github.com/tfparse/tfparse/feature/tfds"
)

func ExampleSpec() {
	spec, notes, err := tfds.Spec([]byte(`{
	  "pythonClassName": "tensorflow_datasets.core.features.features_dict.FeaturesDict",
	  "featuresDict": {"features": {
	    "image": {"pythonClassName": "tensorflow_datasets.core.features.image_feature.Image", "image": {"encodingFormat": "png"}},
	    "label": {"pythonClassName": "tensorflow_datasets.core.features.class_label_feature.ClassLabel", "classLabel": {"numClasses": "10"}}
	  }}
	}`), nil)
	if err != nil {
		panic(err)
	}
	text, err := spec.MarshalJSON()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", text)
	for _, note := range notes {
		fmt.Printf("%s: %s\n", note.Feature, note.Text)
	}
	// Output:
	// {"features":{"image":{"fixed_len":{"dtype":"string","shape":[]}},"label":{"fixed_len":{"dtype":"int64","shape":[]}}}}
	// image: values are encoded images (png)
}

func ExampleInfo_Select() {
	info, err := tfds.ParseInfo([]byte(`{"name": "toy", "splits": [{"name": "train", "shardLengths": ["6", "4"]}, {"name": "test", "shardLengths": ["3"]}]}`))
	if err != nil {
		panic(err)
	}
	ranges, err := info.Select("train[50%:80%]+test")
	if err != nil {
		panic(err)
	}
	for _, r := range ranges {
		fmt.Println(r.Split.Files[r.Shard], r.First, r.End)
	}
	// Output:
	// toy-train.tfrecord-00000-of-00002 5 6
	// toy-train.tfrecord-00001-of-00002 0 2
	// toy-test.tfrecord-00000-of-00001 0 3
}

func ExampleParseInfo() {
	info, err := tfds.ParseInfo([]byte(`{"name": "toy", "version": "1.0.0", "splits": [{"name": "train", "shardLengths": ["2", "3"], "numBytes": "1898"}]}`))
	if err != nil {
		panic(err)
	}
	for _, split := range info.Splits {
		for i, file := range split.Files {
			fmt.Println(file, split.Records[i])
		}
	}
	// Output:
	// toy-train.tfrecord-00000-of-00002 2
	// toy-train.tfrecord-00001-of-00002 3
}

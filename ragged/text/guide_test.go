package text_test

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text"
)

// The examples named guide are those of TensorFlow's guide to ragged tensors that are
// about strings, with what TensorFlow 2.21 prints. The use case of embeddings is in
// package nn.

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Parts of strings.
func Example_guideSubstr() {
	words := check(ragged.FromSlices[string]([][]string{{"So", "long"}, {"thanks", "for", "all", "the", "fish"}}))
	fmt.Println(check(text.Substr(words, ragged.Scalar[int64](0), ragged.Scalar[int64](2), text.Bytes)).String())
	// Output:
	// <tf.RaggedTensor [[b'So', b'lo'], [b'th', b'fo', b'al', b'th', b'fi']]>
}

// Words of sentences.
func Example_guideSplit() {
	sentences := ragged.Vector("What is the weather tomorrow", "Goodnight", "")
	words := text.Split(sentences, "", -1)
	fmt.Println(words.String())
	fmt.Println(check(text.HashBucketFast(words, 1024)).String())
	fmt.Println(check(text.ReduceJoin(words, "+", &text.ReduceJoinOptions{Axes: []int{1}})).String())
	fmt.Println(text.Length(words, text.Bytes).String())
	// Output:
	// <tf.RaggedTensor [[b'What', b'is', b'the', b'weather', b'tomorrow'], [b'Goodnight'], []]>
	// <tf.RaggedTensor [[900, 768, 874, 165, 937], [570], []]>
	// tf.Tensor([b'What+is+the+weather+tomorrow' b'Goodnight' b''], shape=(3,), dtype=string)
	// <tf.RaggedTensor [[4, 2, 3, 7, 8], [9], []]>
}

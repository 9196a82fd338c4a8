package text_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text"
)

func ExampleSubstr() {
	words, err := ragged.FromSlices[string]([][]string{{"So", "long"}, {"thanks", "for", "all", "the", "fish"}})
	if err != nil {
		log.Fatal(err)
	}
	heads, err := text.Substr(words, ragged.Scalar[int64](0), ragged.Scalar[int64](2), text.Bytes)
	fmt.Println(heads.Summary(0), err)
	// Output: [['So', 'lo'], ['th', 'fo', 'al', 'th', 'fi']] <nil>
}

func ExampleSplit() {
	queries := ragged.Vector("A newt?", "Well, I got better.")
	words := text.Split(queries, " ", -1)
	fmt.Println(words.Summary(0))
	buckets, err := text.HashBucketFast(words, 1000)
	fmt.Println(buckets.Summary(0), err)
	// Output:
	// [['A', 'newt?'], ['Well,', 'I', 'got', 'better.']]
	// [[564, 205], [820, 180, 993, 739]] <nil>
}

func ExampleNGrams() {
	t, err := ragged.FromSlices[string]([][]string{{"aa", "bb", "cc", "dd"}, {"ee", "ff"}})
	if err != nil {
		log.Fatal(err)
	}
	grams, err := text.NGrams(t, "|", nil, 3)
	fmt.Println(grams.Summary(0), err)
	// Output: [['aa|bb|cc', 'bb|cc|dd'], []] <nil>
}

package domain

import "github.com/tfparse/tfparse/internal/sniff"

// imageFormats are the formats of images that TensorFlow Data Validation tells apart, by their first bytes. Its name for one is
// that of the format in lower case.
var imageFormats = [...]struct {
	name   string
	format sniff.Format
}{{"bmp", sniff.BMP}, {"gif", sniff.GIF}, {"jpeg", sniff.JPEG}, {"png", sniff.PNG}}

// unknownImage is the index of the values that are not images.
const unknownImage = len(imageFormats)

// imageFormat returns the index of the format that the first bytes of a value announce.
func imageFormat(v []byte) int {
	format := sniff.ImageFormat(v)
	for i, f := range imageFormats {
		if f.format == format {
			return i
		}
	}
	return unknownImage
}

// decodable is imageFormat, and unknownImage for an image that is cut off or has a header that TensorFlow refuses.
func decodable(v []byte) int {
	i := imageFormat(v)
	if i == unknownImage {
		return i
	}
	if im, ok := sniff.DetectImage(v); !ok || !im.Whole {
		return unknownImage
	}
	return i
}

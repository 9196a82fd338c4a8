package domain

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// The formats of images that TensorFlow's decode_image reads. Statistics of TensorFlow Data Validation tell them apart by the first bytes.
var imageFormats = [...]struct {
	name, magic string
	whole       func([]byte) bool // reports whether the image has its header, its data and its end
}{
	{"bmp", "BM", wholeBMP},
	{"gif", "GIF8", wholeGIF},
	{"jpeg", "\xff\xd8\xff", wholeJPEG},
	{"png", "\x89PNG\r\n\x1a\n", wholePNG},
}

// unknownImage is the index of the values that are not images.
const unknownImage = len(imageFormats)

// imageFormat returns the index of the format that the first bytes of a value announce.
func imageFormat(v []byte) int {
	for i, f := range imageFormats {
		if len(v) >= len(f.magic) && string(v[:len(f.magic)]) == f.magic {
			return i
		}
	}
	return unknownImage
}

// decodable is imageFormat, and unknownImage for an image that is cut off or has a header that TensorFlow refuses. It walks from the header to the end
// and decodes no pixels: damage inside of compressed data goes unnoticed.
func decodable(v []byte) int {
	if i := imageFormat(v); i != unknownImage && imageFormats[i].whole(v) {
		return i
	}
	return unknownImage
}

// wholePNG walks the chunks from IHDR to IEND. The checksums of critical chunks must be correct, as for libpng.
func wholePNG(v []byte) bool {
	const magic = 8 // bytes
	data := false
	for i := magic; len(v)-i >= 12; {
		n := uint64(binary.BigEndian.Uint32(v[i:]))
		if n > uint64(len(v)-i-12) {
			return false
		}
		chunk := v[i+4 : i+8+int(n)]
		i += 12 + int(n)
		name, body := string(chunk[:4]), chunk[4:]
		if name[0]&0x20 == 0 && crc32.ChecksumIEEE(chunk) != binary.BigEndian.Uint32(v[i-4:]) {
			return false
		}
		switch first := i-12-int(n) == magic; {
		case first != (name == "IHDR"):
			return false
		case first && (len(body) != 13 || binary.BigEndian.Uint32(body) == 0 || binary.BigEndian.Uint32(body[4:]) == 0):
			return false
		case name == "IDAT":
			data = true
		case name == "IEND":
			return data
		}
	}
	return false
}

// wholeJPEG walks the segments from SOI to EOI, over the compressed data of each scan. Data after EOI are allowed.
func wholeJPEG(v []byte) bool {
	frame, scan := false, false
	for i := 2; ; {
		if scan { // compressed data: FF 00 is a byte of it, and FF D0 to FF D7 are restarts
			n := bytes.IndexByte(v[i:], 0xff)
			if n < 0 {
				return false
			}
			i += n
		}
		if len(v)-i < 2 || v[i] != 0xff {
			return false
		}
		marker := v[i+1]
		switch {
		case marker == 0xff: // fill
			i++
			continue
		case scan && (marker == 0 || marker >= 0xd0 && marker <= 0xd7):
			i += 2
			continue
		case marker == 0xd9:
			return scan
		}
		if len(v)-i < 4 {
			return false
		}
		n := int(binary.BigEndian.Uint16(v[i+2:]))
		if n < 2 || n > len(v)-i-2 {
			return false
		}
		body := v[i+4 : i+2+n]
		i += 2 + n
		switch marker {
		case 0xc0, 0xc1, 0xc2, 0xc9, 0xca: // the frames that libjpeg decodes
			if frame = len(body) >= 6 && binary.BigEndian.Uint16(body[1:]) > 0 && binary.BigEndian.Uint16(body[3:]) > 0; !frame {
				return false
			}
		case 0xc3, 0xc5, 0xc6, 0xc7, 0xcb, 0xcd, 0xce, 0xcf:
			return false
		}
		scan = marker == 0xda && frame || scan && marker != 0xda
		if marker == 0xda && !scan {
			return false
		}
	}
}

// wholeGIF walks the blocks to the trailer. There must be a frame. TensorFlow decodes a GIF that is cut off after its first frame, too; data are missing
// there all the same.
func wholeGIF(v []byte) bool {
	if len(v) < 13 {
		return false
	}
	i, frame := 13+colours(v[10]), false
	for i < len(v) {
		switch v[i] {
		case 0x3b:
			return frame
		case 0x21:
			i += 2
		case 0x2c:
			if len(v)-i < 11 || binary.LittleEndian.Uint16(v[i+5:]) == 0 || binary.LittleEndian.Uint16(v[i+7:]) == 0 {
				return false
			}
			i += 11 + colours(v[i+9])
			frame = true
		default:
			return false
		}
		for { // sub-blocks; an empty one is the last
			if i >= len(v) {
				return false
			}
			n := int(v[i])
			i += 1 + n
			if n == 0 {
				break
			}
		}
	}
	return false
}

// colours is the size of the table of colours that the flags of a GIF announce.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// wholeBMP has the rules of TensorFlow's decode_bmp: 1, 3 or 4 bytes a pixel, and nothing after the last row.
func wholeBMP(v []byte) bool {
	if len(v) < 32 {
		return false
	}
	header := int64(int32(binary.LittleEndian.Uint32(v[10:])))
	width := int64(int32(binary.LittleEndian.Uint32(v[18:])))
	height := int64(int32(binary.LittleEndian.Uint32(v[22:])))
	bits := int64(binary.LittleEndian.Uint16(v[28:]))
	if height < 0 { // from top to bottom
		height = -height
	}
	if header < 0 || width <= 0 || height == 0 || bits != 8 && bits != 24 && bits != 32 {
		return false
	}
	row := (bits*width + 31) / 32 * 4
	rows := int64(len(v)) - header
	return rows%row == 0 && rows/row == height
}

package sniff

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Image describes an image by its header and blocks. No pixel is decoded, and nothing is allocated.
type Image struct {
	Format   Format // JPEG, PNG, GIF, BMP or WebP
	Height   int    // in pixels, of the largest frame; 0 if the header is truncated or invalid
	Width    int    // in pixels, of the largest frame; 0 if Height is 0
	Channels int    // of the tensor that TensorFlow's decode_image makes with channels=0: 1, 3 or 4, for PNG also 2; 0 if Height is 0
	Frames   int    // frames of a GIF or WebP, whose tensors have a dimension for them; 0 for other formats
	Whole    bool   // header, data and end are present: TensorFlow decodes it, unless the compressed data are damaged
	TooLarge bool   // the header is valid, but the image has more pixels than TensorFlow decodes: then Height and Width are set, and Whole is false
}

// imageFormats lists the formats that TensorFlow's decode_image reads, except JPEG XL, with their first bytes.
var imageFormats = [...]struct {
	format Format
	magic  string
	walk   func(v []byte, im *Image)
}{
	{JPEG, "\xff\xd8\xff", walkJPEG},
	{PNG, pngMagic, walkPNG},
	{GIF, "GIF8", walkGIF},
	{BMP, "BM", walkBMP},
	{WebP, "RIFF", walkWebP},
}

// maxPixels is approximately the number of pixels above which TensorFlow rejects an image of one frame.
const maxPixels = 1 << 28

const pngMagic = "\x89PNG\r\n\x1a\n"

// ImageFormat returns the image format that the first bytes of v indicate, or Raw.
func ImageFormat(v []byte) Format {
	for _, f := range imageFormats {
		if len(v) >= len(f.magic) && string(v[:len(f.magic)]) == f.magic && (f.format != WebP || len(v) >= 12 && string(v[8:12]) == "WEBP") {
			return f.format
		}
	}
	return Raw
}

// DetectImage describes the image in v, which may be truncated. ok is false if v does not begin as an image does. A text that
// begins with BM gives an Image without size that is not Whole.
func DetectImage(v []byte) (im Image, ok bool) {
	format := ImageFormat(v)
	for _, f := range imageFormats {
		if f.format == format {
			im.Format = format
			f.walk(v, &im)
			return im, true
		}
	}
	return Image{}, false
}

// setSize sets the size if it is valid: each number is at least 1.
func (im *Image) setSize(height, width, channels int) bool {
	if height < 1 || width < 1 || channels < 1 {
		return false
	}
	im.Height, im.Width, im.Channels = height, width, channels
	return true
}

// Remark returns what a name of the image says about an image that TensorFlow refuses, with a space before it, or "".
func (im *Image) Remark() string {
	switch {
	case im.Format == Raw || im.Whole:
		return ""
	case im.TooLarge:
		return " (too large)"
	}
	return " (cut)"
}

// walkPNG walks the chunks from IHDR to IEND. The checksums of critical chunks must be correct, as for libpng.
func walkPNG(v []byte, im *Image) {
	data, palette := false, false
	for i := len(pngMagic); len(v)-i >= 12; {
		n := uint64(binary.BigEndian.Uint32(v[i:]))
		if n > uint64(len(v)-i-12) {
			return
		}
		chunk := v[i+4 : i+8+int(n)]
		i += 12 + int(n)
		name, body := string(chunk[:4]), chunk[4:]
		if critical := name[0]&0x20 == 0; critical && crc32.ChecksumIEEE(chunk) != binary.BigEndian.Uint32(v[i-4:]) {
			return
		}
		if first := im.Height == 0; first != (name == "IHDR") {
			return
		}
		switch name {
		case "IHDR":
			if len(body) != 13 || !soundPNG(body) {
				return
			}
			palette = body[9] == 3
			channels := map[byte]int{0: 1, 2: 3, 3: 3, 4: 2, 6: 4}[body[9]]
			height, width := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body)
			if !im.setSize(int(height), int(width), channels) {
				return
			}
			// The limits of libpng and TensorFlow: 10^6 pixels per side, less than 2^29 in all.
			const side, pixels = 1_000_000, 1 << 29
			if im.TooLarge = width > side || height > side || uint64(width)*uint64(height) >= pixels; im.TooLarge {
				return
			}
		case "tRNS": // transparent entries of a palette are a fourth channel
			if palette {
				im.Channels = 4
			}
		case "IDAT":
			data = true
		case "IEND":
			im.Whole = data
			return
		}
	}
}

// soundPNG checks the body of IHDR. PNG limits a side to 2^31-1 pixels.
func soundPNG(body []byte) bool {
	width, height := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	depths, ok := map[byte]uint32{0: 1<<1 | 1<<2 | 1<<4 | 1<<8 | 1<<16, 2: 1<<8 | 1<<16, 3: 1<<1 | 1<<2 | 1<<4 | 1<<8, 4: 1<<8 | 1<<16, 6: 1<<8 | 1<<16}[body[9]]
	return ok && body[8] <= 16 && depths>>body[8]&1 == 1 && body[10] == 0 && body[11] == 0 && body[12] <= 1 &&
		width > 0 && height > 0 && width <= math.MaxInt32 && height <= math.MaxInt32
}

// walkJPEG walks the segments from SOI to EOI, over the compressed data of each scan. Bytes after EOI are allowed.
func walkJPEG(v []byte, im *Image) {
	scan := false
	for i := 2; ; {
		// In compressed data FF 00 is an escaped byte, and FF D0 to FF D7 are restart markers. Between segments libjpeg skips
		// bytes that are not a marker.
		n := bytes.IndexByte(v[i:], 0xff)
		if n < 0 || len(v)-i-n < 2 {
			return
		}
		i += n
		marker := v[i+1]
		switch {
		case marker == 0xff: // fill
			i++
			continue
		case marker == 0 || marker >= 0xd0 && marker <= 0xd7:
			i += 2
			continue
		case marker == 0xd9:
			im.Whole = scan
			return
		}
		if len(v)-i < 4 {
			return
		}
		n = int(binary.BigEndian.Uint16(v[i+2:]))
		if n < 2 && marker >= 0xe0 && marker <= 0xef { // libjpeg treats an application segment with a length below 2 as empty
			n = 2
		}
		if n < 2 || n > len(v)-i-2 {
			return
		}
		body := v[i+4 : i+2+n]
		i += 2 + n
		switch marker {
		case 0xc0, 0xc1, 0xc2, 0xc9, 0xca: // the frame types that libjpeg decodes
			if !sizeJPEG(body, im) || im.TooLarge {
				return
			}
		case 0xc3, 0xc5, 0xc6, 0xc7, 0xcb, 0xcd, 0xce, 0xcf:
			return
		}
		if marker == 0xda {
			if im.Height == 0 {
				return
			}
			scan = true
		}
	}
}

// sizeJPEG reads the header of a frame. Four components are CMYK, which decode_image turns into RGB.
func sizeJPEG(body []byte, im *Image) bool {
	if len(body) < 6 || len(body) != 6+3*int(body[5]) || body[0] != 8 || im.Height > 0 {
		return false
	}
	channels, ok := map[byte]int{1: 1, 3: 3, 4: 3}[body[5]]
	height, width := int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	const side = 65_500 // the limit of libjpeg
	im.TooLarge = ok && height > 0 && width > 0 && max(height, width) > side
	return ok && im.setSize(height, width, channels)
}

// walkGIF walks the blocks to the trailer. There must be a frame. TensorFlow also decodes a GIF that is truncated after its
// first frame; it is not Whole here, because data are missing.
func walkGIF(v []byte, im *Image) {
	if len(v) < 13 {
		return
	}
	height, width := 0, 0
	for i := 13 + coloursGIF(v[10]); i < len(v); {
		frame := v[i] == 0x2c
		switch v[i] {
		case 0x3b:
			im.Whole = im.Frames > 0
			return
		case 0x21:
			i += 2
		case 0x2c:
			if len(v)-i < 11 {
				return
			}
			w, h := int(binary.LittleEndian.Uint16(v[i+5:])), int(binary.LittleEndian.Uint16(v[i+7:]))
			if w == 0 || h == 0 {
				return
			}
			if h > maxPixels/w {
				im.TooLarge = im.setSize(h, w, 3)
				return
			}
			height, width = max(height, h), max(width, w)
			i += 11 + coloursGIF(v[i+9])
		default:
			return
		}
		for { // sub-blocks; an empty one is the last
			if i >= len(v) {
				return
			}
			n := int(v[i])
			i += 1 + n
			if n == 0 {
				break
			}
		}
		if frame {
			im.setSize(height, width, 3)
			im.Frames++
		}
	}
}

// coloursGIF returns the size of the colour table that the flags of a GIF indicate, in bytes.
func coloursGIF(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// walkBMP applies the rules of TensorFlow's decode_bmp: 1, 3 or 4 bytes per pixel, and no bytes after the last row.
func walkBMP(v []byte, im *Image) {
	if len(v) < 32 {
		return
	}
	header := int64(int32(binary.LittleEndian.Uint32(v[10:])))
	width := int64(int32(binary.LittleEndian.Uint32(v[18:])))
	height := int64(int32(binary.LittleEndian.Uint32(v[22:])))
	bits := int64(binary.LittleEndian.Uint16(v[28:]))
	if height < 0 { // from top to bottom
		height = -height
	}
	if header < 0 || width <= 0 || height > math.MaxInt32 || bits != 8 && bits != 24 && bits != 32 || !im.setSize(int(height), int(width), int(bits/8)) {
		return
	}
	if im.TooLarge = height > maxPixels/width; im.TooLarge {
		return
	}
	row := (bits*width + 31) / 32 * 4
	rows := int64(len(v)) - header
	im.Whole = rows%row == 0 && rows/row == height
}

// walkWebP walks the chunks of a RIFF file. VP8X has the size and the alpha bit of the whole image; without it the single
// frame, VP8 or VP8L, has them.
func walkWebP(v []byte, im *Image) {
	size := uint64(binary.LittleEndian.Uint32(v[4:]))
	end := max(12, min(uint64(len(v)), 8+size))
	extended, frames := false, 0
	for i := uint64(12); end-i >= 8; {
		name, n := string(v[i:i+4]), uint64(binary.LittleEndian.Uint32(v[i+4:]))
		body := v[i+8 : min(end, i+8+n)]
		switch name {
		case "VP8X":
			if len(body) < 10 || i != 12 {
				return
			}
			extended = true
			channels := 3 + int(body[0]>>4&1)
			im.setSize(1+uint24(body[7:]), 1+uint24(body[4:]), channels)
		case "VP8 ", "VP8L", "ANMF":
			still := Image{Height: im.Height, Width: im.Width, Channels: im.Channels}
			if name != "ANMF" && !sizeWebP(name, body, &still) || extended && (still.Height != im.Height || still.Width != im.Width) {
				return
			}
			if !extended {
				im.setSize(still.Height, still.Width, still.Channels)
			}
			frames++
			im.Frames = frames
		}
		if n > end-i-8 {
			return
		}
		if i += 8 + n + n&1; i > end {
			return
		}
		im.Whole = frames > 0 && 8+size <= uint64(len(v))
		if !extended && frames == 1 {
			return
		}
	}
}

// sizeWebP reads the header of a frame: VP8 (RFC 6386 section 9.1), or VP8L, whose alpha bit is a hint.
func sizeWebP(name string, b []byte, im *Image) bool {
	switch {
	case name == "VP8 " && len(b) >= 10 && b[0]&1 == 0 && string(b[3:6]) == "\x9d\x01\x2a":
		return im.setSize(int(binary.LittleEndian.Uint16(b[8:])&0x3fff), int(binary.LittleEndian.Uint16(b[6:])&0x3fff), 3)
	case name == "VP8L" && len(b) >= 5 && b[0] == 0x2f && b[4]>>5 == 0:
		bits := binary.LittleEndian.Uint32(b[1:])
		return im.setSize(1+int(bits>>14&0x3fff), 1+int(bits&0x3fff), 3+int(bits>>28&1))
	}
	return false
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

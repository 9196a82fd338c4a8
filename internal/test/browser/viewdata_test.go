package browser

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
	"github.com/tfparse/tfparse/tfrecord"
)

// The records of the tests of the view: pets with pictures, drives as sequences of steps, and answers of a search.

var (
	petNames  = []string{"cat", "dog", "rabbit", "guinea pig"}
	petColors = []color.RGBA{{200, 60, 50, 255}, {60, 90, 200, 255}, {70, 160, 70, 255}, {150, 90, 180, 255}}
)

const (
	petWidth, petHeight = 120, 90
	damagedPet          = 5 // a record with a wrong checksum
)

// petPicture draws a disc in the middle, in the colour of the label.
func petPicture(i int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, petWidth, petHeight))
	for y := range petHeight {
		for x := range petWidth {
			c := color.RGBA{uint8(225 - y/2), uint8(230 - y/3), 235, 255}
			if dx, dy := x-petWidth/2, y-petHeight/2; dx*dx+dy*dy < 28*28 {
				c = petColors[i%len(petColors)]
			} else if dx*dx+dy*dy < 31*31 {
				c = color.RGBA{255, 255, 255, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if i%2 == 0 {
		png.Encode(&b, m) // a bytes.Buffer takes everything
	} else {
		jpeg.Encode(&b, m, &jpeg.Options{Quality: 95})
	}
	return b.Bytes()
}

// tone is a WAV file of half a second.
func tone() []byte {
	const rate, n = 8000, 4000
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt ")
	b = binary.LittleEndian.AppendUint32(b, 16)
	for _, v := range []uint16{1, 1, rate, 0, rate, 0, 1, 8} { // PCM, mono, samples and bytes a second, 8 bits
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, n)
	for i := range n {
		b = append(b, byte(128+100*math.Sin(2*math.Pi*440*float64(i)/rate)))
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// petSteps are sections of steps of words, the same in each record.
var petSteps = [][][]string{
	{{"wash", "the", "bowl"}, {"pour", "in", "fresh", "water", "and", "wait"}},
	{},
	{{"brush", "the", "fur"}, {}, {"open", "the", "door"}},
}

// pet is an Example with everything that the pane of a record draws.
func pet(i int) example.Example {
	raw := make([]byte, 12*16*3)
	for j := range raw {
		raw[j] = byte(j * (3 + i%5))
	}
	wave := make([]float32, 256)
	for j := range wave {
		wave[j] = float32(math.Round(1000*math.Sin(float64(i+j)/12)*math.Exp(-float64(j)/150)) / 1000)
	}
	var words []string
	var splits, lengths []int64
	splits = append(splits, 0)
	for _, section := range petSteps {
		for _, step := range section {
			words = append(words, step...)
			lengths = append(lengths, int64(len(step)))
		}
		splits = append(splits, int64(len(lengths)))
	}
	label := i % len(petNames)
	return example.Example{
		"image/encoded":           example.Bytes(petPicture(i)),
		"image/object/bbox/xmin":  example.Floats(0.25, 0.1),
		"image/object/bbox/xmax":  example.Floats(0.75, 0.3),
		"image/object/bbox/ymin":  example.Floats(0.2, 0.1),
		"image/object/bbox/ymax":  example.Floats(0.8, 0.4),
		"image/object/class/text": example.Strings(petNames[label], "window"),
		"label":                   example.Int64s(int64(label)),
		"caption":                 example.Strings(fmt.Sprintf("A %s in front of a window, picture %d", petNames[label], i)),
		"score":                   example.Floats(float32(i*37%100) / 100),
		"tokens":                  example.Int64s([]int64{101, 1037, 4937, 1999, 2392, 1997, 1037, 3332, 102}[:2+i%8]...),
		"embedding":               example.Floats(wave...),
		"steps/words":             example.Strings(words...),
		"steps/lengths":           example.Int64s(lengths...),
		"sections/splits":         example.Int64s(splits...),
		"pixels":                  example.Bytes(raw),
		"sound":                   example.Bytes(tone()),
		"story":                   example.Strings(strings.Repeat("Once upon a time there was an animal that looked out of a window and waited for rain. ", 30)),
		"blob":                    example.Bytes([]byte("\x00\x01\xfe\xffnot an image\x80\x81\x82\x83\xff\xfe\xfd tail")),
		"account/id_of_the_owner": example.Int64s(9007199254740993 + int64(i)),
		"notes":                   example.Strings(),
	}
}

// petSpec draws three features as columns.
var petSpec = feature.Spec{Features: feature.Features{
	"steps": feature.Ragged{DType: feature.String, ValueKey: "steps/words",
		Partitions: []feature.Partition{feature.RowSplits("sections/splits"), feature.RowLengths("steps/lengths")}},
	"pixels":    feature.FixedLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.Uint8, Shape: []feature.Dimension{feature.Size(12), feature.Size(16), feature.Size(3)}}},
	"score":     feature.FixedLen{DType: feature.Float32},
	"threshold": feature.FixedLen{DType: feature.Float32, Shape: []int{2, 2}, Default: example.Floats(0.5, 1, 1.5, 2)},
}}

// writeRecords writes a file of records of messages.
func writeRecords[M interface{ MarshalBinary() ([]byte, error) }](t *testing.T, name string, n int, message func(i int) M) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	w, err := tfrecord.Create(name, nil)
	must(t, err)
	for i := range n {
		b, err := message(i).MarshalBinary()
		must(t, err)
		must(t, w.WriteRecord(b))
	}
	must(t, w.Close())
	return name
}

// writePets writes n pets. The payload of one is damaged.
func writePets(t *testing.T, n int) string {
	t.Helper()
	name := writeRecords(t, "pets.tfrecord", n, pet)
	b, err := os.ReadFile(name)
	must(t, err)
	at := 0
	for range damagedPet {
		_, n, err := tfrecord.ConsumeRecord(b[at:])
		must(t, err)
		at += n
	}
	b[at+200] ^= 1
	must(t, os.WriteFile(name, b, 0o666))
	return name
}

// drive is a sequence of steps with a picture, a speed, and words.
func drive(i int) example.Sequence {
	s := example.Sequence{Context: example.Example{"route": example.Strings(fmt.Sprintf("route %d", i))}, Lists: map[string][]example.Value{}}
	for j := range 8 + i%3 {
		s.Lists["frame"] = append(s.Lists["frame"], example.Bytes(petPicture(2*(i+j))))
		s.Lists["speed"] = append(s.Lists["speed"], example.Floats(float32(math.Round(1000*math.Sin(float64(j)/2))/100)))
		s.Lists["signs"] = append(s.Lists["signs"], example.Strings([]string{"stop", "turn left", "no parking"}[:j%4]...))
	}
	return s
}

// query is a query with its candidates.
func query(i int) example.ExampleList {
	l := example.ExampleList{HasContext: true, Context: example.Example{"query": example.Strings(fmt.Sprintf("pancakes without milk %d", i))}}
	for j := range 9 {
		e := example.Example{"relevance": example.Int64s(int64(j * 7 % 5)), "title": example.Strings(fmt.Sprintf("Answer %d, which has a title that is too long for one line of a table", j))}
		if j != 3 {
			e["vector"] = example.Floats(float32(j)/8, 0.25, 0.5, 0.75, 1, 1.25)
		}
		l.Examples = append(l.Examples, e)
	}
	return l
}

// hostile is an Example whose names and values try to be something else.
func hostile(i int) example.Example {
	return example.Example{
		"<script>window.ran=1</script>": example.Strings("<img src=x onerror=window.ran=1>"),
		"\"><iframe src=//evil>":        example.Strings("javascript:window.ran=1"),
		"\u202eltr\u202c שלום":          example.Strings("\u202eevil\u2066 שלום עולם"),
		strings.Repeat("x", 100_000):    example.Strings(strings.Repeat("y", 100_000)),
		"__proto__":                     example.Int64s(int64(i)),
		"constructor":                   example.Strings("toString"),
		"svg":                           example.Strings("<svg xmlns='http://www.w3.org/2000/svg' onload='window.ran=1'><rect width='9' height='9'/></svg>"),
		"a,b&c=d#e%41+ f":               example.Floats(float32(math.NaN()), float32(math.Inf(1))),
		"new\nline\x00\x1b[31m":         example.Strings("\x1b]0;title\a\r\n\u2028\ufeff"),
	}
}

package fingerprint

import "testing"

// TestOf compares with results of tf.fingerprint (TensorFlow 2.21.0) for strings of n bytes, in
// which byte i is i*i*7 + i*n + 13*n: all lengths around every change of the algorithm.
func TestOf(t *testing.T) {
	for _, c := range tensorflow {
		b := make([]byte, c.n)
		for i := range b {
			b[i] = byte(i*i*7 + i*c.n + 13*c.n)
		}
		if got := Of(string(b)); got != c.want {
			t.Errorf("%d bytes: want %#x, got %#x", c.n, c.want, got)
		}
	}
}

// TestCat compares with published values.
func TestCat(t *testing.T) {
	a, b := Of("Hello"), Of("World")
	if a != 15404698994557526151 || b != 18308117990299812472 {
		t.Fatalf("got %d and %d", a, b)
	}
	if got := Cat(a, b); got != 16877292868973613377 {
		t.Errorf("Cat(Hello, World): got %d", got)
	}
	if got := Cat(b, a); got != 7158413233176775252 {
		t.Errorf("Cat(World, Hello): got %d", got)
	}
}

func BenchmarkOf(b *testing.B) {
	for name, s := range map[string]string{"size=8": "abcdefgh", "size=20": "abcdefghijklmnopqrst"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Of(s)
			}
		})
	}
}

var tensorflow = []struct {
	n    int
	want uint64
}{
	{0, 0x9ae16a3b2f90404f}, {1, 0x8aa334f91c5bc106}, {2, 0x22d06700cb147ad5},
	{3, 0x87b3bfd56aa44bee}, {4, 0xbfee326a933ee0f1}, {5, 0x13ccbaab7e9b94d6},
	{6, 0xcecc207fc6008f67}, {7, 0x14578c0bcf23183f}, {8, 0x9423a5358be28f2b},
	{9, 0xbb8d7eb53e59a270}, {10, 0xa7eff4b09ee22bb9}, {11, 0xb63dca5c97dc0a95},
	{12, 0x8f4108aee677f5e4}, {13, 0xa42ea3e459f649f0}, {14, 0xd2d3a6155a4163d5},
	{15, 0x8c5799591179fc6c}, {16, 0x1dea2d43cf998844}, {17, 0x83f793a16389ac49},
	{18, 0x80a2ad7e39b10236}, {19, 0xcfc6ccaa06926811}, {20, 0x6f2d2e07d303bcfe},
	{21, 0xf099705b9908edd3}, {22, 0xe1ec8cb791435718}, {23, 0x679055eaf5a6d57a},
	{24, 0x65d8bcdf1e53a15}, {25, 0x2bb5b8ca8eab0466}, {26, 0xba68d800ab9eeca},
	{27, 0x9eaeeb7281a3db6b}, {28, 0x64a534fb8b112216}, {29, 0x10d5542e927bea20},
	{30, 0x48bb1f1349460b61}, {31, 0xdcfe35eeb0c8b195}, {32, 0x52a3a07b7ea37af7},
	{33, 0xd7fb42011dccf4ba}, {34, 0xd3a61cde8937db56}, {35, 0x7a92f8640d8df88b},
	{36, 0x2cd8f8d8f85a10c4}, {37, 0x1c09342748f35d98}, {38, 0xccc25fd8466da293},
	{39, 0x78d24ccb8f3d2a49}, {40, 0x926f94f476e6dd57}, {41, 0x9d483880fc08212},
	{42, 0xb9cbc8c475bf42d}, {43, 0x498a49bbb5bde4df}, {44, 0xea6099950fd84f3e},
	{45, 0xd1925a1b78b4611a}, {46, 0x57cab2009c4fa49d}, {47, 0x54a428aa57d8b20b},
	{48, 0x3506d726901a67f5}, {49, 0x6c95d1edcddd1312}, {50, 0xf9554706d13127a2},
	{51, 0x3fb89e6895929fc6}, {52, 0xd379f229544d900}, {53, 0x2d3acce204ba6afc},
	{54, 0x5782cc3b59b51466}, {55, 0xa8ff0bc46ad1477b}, {56, 0x4f6243cc89406165},
	{57, 0x8520b33f98af170b}, {58, 0xbc93fe5e0ed0849e}, {59, 0x1aada309d0856d69},
	{60, 0xb26b0e0ec91f2b5a}, {61, 0x3cf80271a7a86b83}, {62, 0x266fc1513775bed4},
	{63, 0x545bd937b44ec164}, {64, 0xb6e165dab7304237}, {65, 0x165e47f9c31541c1},
	{66, 0x174408ad617aad5f}, {67, 0x32d31ff8af75306a}, {68, 0xd9f7700457510992},
	{69, 0xc56aa4527f6b695f}, {127, 0x81a7975d3d8c907c}, {128, 0x7c32dfdbcafb223a},
	{129, 0xd97e3d227f9c06b9}, {191, 0x36a61c6709c69b6f}, {192, 0x9924014c9cd8b51b},
	{193, 0xa59b60961536e7cd}, {200, 0x42fd9d103b6877bf}, {1000, 0x1fb49fae25766e3e},
	{4096, 0x690039bced01027a},
}

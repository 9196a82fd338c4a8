package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is a number of bytes. Its text form may end in K, M, G or T, with iB or
// without, for powers of 1024, and in KB, MB, GB or TB for powers of 1000. Behind it there
// may be -1.
type Size int64

func (s Size) MarshalText() ([]byte, error) {
	if s > 0 && s%(1<<20) == 1<<20-1 { // as most limits are, one less than a round number
		text, err := (s + 1).MarshalText()
		return append(text, "-1"...), err
	}
	for i := len(sizeUnits) - 1; i >= 0; i-- {
		if u := sizeUnits[i]; strings.HasSuffix(u.name, "iB") && s > 0 && int64(s)%u.bytes == 0 {
			return fmt.Appendf(nil, "%d%s", int64(s)/u.bytes, u.name), nil
		}
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"K", 1 << 10}, {"KB", 1e3}, {"KiB", 1 << 10},
	{"M", 1 << 20}, {"MB", 1e6}, {"MiB", 1 << 20},
	{"G", 1 << 30}, {"GB", 1e9}, {"GiB", 1 << 30},
	{"T", 1 << 40}, {"TB", 1e12}, {"TiB", 1 << 40},
}

func (s *Size) UnmarshalText(text []byte) error {
	text, less := bytes.CutSuffix(text, []byte("-1"))
	digits := strings.TrimRight(string(text), "KMGTiB")
	unit := string(text[len(digits):])
	factor := int64(0)
	if unit == "" || unit == "B" {
		factor = 1
	}
	for _, u := range sizeUnits {
		if u.name == unit {
			factor = u.bytes
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), factor == 0:
		return errors.New("want a size such as 65536, 64KiB or 1GB")
	case err != nil, n > math.MaxInt64/factor:
		return errors.New("size is too large")
	case n <= 0:
		return errors.New("size is not positive")
	}
	if n *= factor; less {
		n--
	}
	if n == 0 {
		return errors.New("size is not positive")
	}
	*s = Size(n)
	return nil
}

package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/bits"
)

// A sum is the hash of records, made from the hash of each. The help of digest says how.
type sum struct {
	name    string
	ordered hash.Hash // nil: the order does not count
	total   [4]uint64 // instead; the lowest bits first
	records uint64
}

func newSum(unordered, raw bool) sum {
	s := sum{name: "tfparse1"}
	if raw {
		s.name += "-raw"
	}
	if unordered {
		s.name += "-unordered"
		return s
	}
	s.ordered = sha256.New()
	s.ordered.Write([]byte(s.name + "\n"))
	return s
}

// add adds hashes of records, one behind the other.
func (s *sum) add(hashes []byte) {
	s.records += uint64(len(hashes) / sha256.Size)
	if s.ordered != nil {
		s.ordered.Write(hashes)
		return
	}
	for ; len(hashes) > 0; hashes = hashes[sha256.Size:] {
		carry := uint64(0)
		for i := range s.total {
			s.total[i], carry = bits.Add64(s.total[i], binary.BigEndian.Uint64(hashes[8*(3-i):]), carry)
		}
	}
}

// text is the hash as it is printed.
func (s *sum) text() string {
	h := s.ordered
	if h == nil {
		h = sha256.New()
		h.Write([]byte(s.name + "\n"))
		b := binary.BigEndian.AppendUint64(nil, s.records)
		for i := range s.total {
			b = binary.BigEndian.AppendUint64(b, s.total[3-i])
		}
		h.Write(b)
	}
	return s.name + ":" + hex.EncodeToString(h.Sum(nil))
}

//go:build !purego

package castagnoli

import (
	"os"
	"testing"

	"github.com/tfparse/tfparse/internal/test/kernels"
)

func TestMain(m *testing.M) {
	os.Exit(kernels.Main(m, kernels.Kernel{Name: "crc", Needs: "avx512f avx512bw avx512dq avx512vl vpclmulqdq pclmulqdq sse4_2"}))
}

// Where does each lane's register land? Compares with the formula of the PTX ISA (stmatrix, fragment layout).
#include "probe.cuh"
#include "matrix/stmatrix.cuh"

PROBE {
  __shared__ __align__(128) u16 rows[NUM * 64];
  Window window;
  const u32 address = shared_address(rows) + (lane() % (8 * NUM)) * 16;
  u32 s[NUM];
  UNROLL for (u32 j = 0; j < NUM; ++j) s[j] = (lane() * 8 + j * 2 + 1) << 16 | (lane() * 8 + j * 2);
  PASSES {
    window.ready(address);
    window.ready(s);
    window.open();
    STMATRIX(address, s);
    window.close();
  }
  __syncthreads();
  u32 wrong = 0;
  UNROLL for (u32 j = 0; j < NUM; ++j)
    UNROLL for (u32 half = 0; half < 2; ++half) {
      const u32 outer = lane() / 4, inner = 2 * (lane() % 4) + half;
      const u32 at = j * 64 + (TRANS ? inner * 8 + outer : outer * 8 + inner);
      wrong += rows[at] != lane() * 8 + j * 2 + half;
    }
  count_fact(args, 0, wrong);
  count_fact(args, 1, 2 * NUM);
  window.report(args);
}

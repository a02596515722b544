// Which element does each lane's register receive? A place is half a register, lane by lane; it holds 1 + the number of
// the element in memory. Compared with the formula of the PTX ISA (ldmatrix, fragment layout).
#include "probe.cuh"
#define STRIDE 16
#include "matrix/ldmatrix.cuh"

PROBE {
  __shared__ __align__(128) u16 rows[NUM * 64];
  Window window;
  for (u32 i = lane(); i < NUM * 64; i += 32) rows[i] = i;
  __syncthreads();
  const u32 address = shared_address(rows) + (lane() % (8 * NUM)) * 16;
  u32 d[NUM];
  PASSES {
    window.ready(address);
    window.open();
    LDMATRIX(d, address);
    window.wait(d);
    window.close();
  }
  u32 wrong = 0;
  UNROLL for (u32 j = 0; j < NUM; ++j)
    UNROLL for (u32 half = 0; half < 2; ++half) {
      const u32 outer = lane() / 4, inner = 2 * (lane() % 4) + half;
      const u32 got = d[j] >> (16 * half) & 0xffff;
      args.places[lane() * 2 * NUM + 2 * j + half] = 1 + got;
      const u32 expected = j * 64 + (TRANS ? inner * 8 + outer : outer * 8 + inner);
      wrong += got != expected;
    }
  count_fact(args, 0, wrong);
  count_fact(args, 1, 2 * NUM);
  fact(args, 2, 8);
  fact(args, 3, 8);
  fact(args, 4, 2);
  window.report(args);
}
#undef STRIDE

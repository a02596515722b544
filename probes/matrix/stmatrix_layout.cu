// Where does each lane's register go? A place is half a register, lane by lane; it holds 1 + the number of the element
// in memory where it was found. Compared with the formula of the PTX ISA (stmatrix, fragment layout).
#include "probe.cuh"
#include "matrix/stmatrix.cuh"

PROBE {
  __shared__ __align__(128) u16 rows[NUM * 64];
  Window window;
  const u32 address = shared_address(rows) + (lane() % (8 * NUM)) * 16;
  u32 s[NUM];
  UNROLL for (u32 j = 0; j < NUM; ++j) s[j] = (lane() * 8 + j * 2 + 1) << 16 | (lane() * 8 + j * 2);
  for (u32 i = lane(); i < NUM * 64; i += 32) rows[i] = 0xffff;
  __syncthreads();
  PASSES {
    window.ready(address);
    window.ready(s);
    window.open();
    STMATRIX(address, s);
    window.close();
  }
  __syncthreads();
  for (u32 i = lane(); i < NUM * 64; i += 32) {
    const u32 from = rows[i] / 8, part = rows[i] % 8;
    if (from < 32 && part < 2 * NUM) args.places[from * 2 * NUM + part] = 1 + i;
  }
  u32 wrong = 0;
  UNROLL for (u32 j = 0; j < NUM; ++j)
    UNROLL for (u32 half = 0; half < 2; ++half) {
      const u32 outer = lane() / 4, inner = 2 * (lane() % 4) + half;
      const u32 at = j * 64 + (TRANS ? inner * 8 + outer : outer * 8 + inner);
      wrong += rows[at] != lane() * 8 + j * 2 + half;
    }
  count_fact(args, 0, wrong);
  count_fact(args, 1, 2 * NUM);
  fact(args, 2, 8);
  fact(args, 3, 8);
  fact(args, 4, 2);
  window.report(args);
}

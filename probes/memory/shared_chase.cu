// N dependent loads of BYTES from shared memory, through addresses stored there: one address for all lanes, or one row
// of adjacent words, one per lane. Every step is in another row. If there is a block for each SM, each reports under
// its SM's number.
#include "probe.cuh"

#undef HOP
#if BYTES == 4
#define HOP(p) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p))
#elif BYTES == 8
#define HOP(p) asm volatile("{ .reg .u32 b; ld.shared.v2.u32 {%0, b}, [%0]; }" : "+r"(p))
#else
#define HOP(p) asm volatile("{ .reg .u32 b, c, d; ld.shared.v4.u32 {%0, b, c, d}, [%0]; }" : "+r"(p))
#endif

PROBE {
  constexpr u32 rows = 32, row_bytes = 32 * BYTES;
  __shared__ __align__(16) char chain[rows * row_bytes];
  Window window;
  const u32 mine = shared_address(chain) + lane() * BYTES;
  for (u32 row = 0; row < rows; ++row)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(mine + row * row_bytes), "r"(mine + (row * 5 + 1) % rows * row_bytes)
                 : "memory");
  __syncwarp();
  u32 p = mine;
#ifdef LANES_same
  p -= lane() * BYTES;
#endif
  PASSES { TIMED_HOPS(p); }
  window.report_at(args, sm() % gridDim.x);
}

// N tiles through STAGES buffers: wait for a tile, read it, copy a later tile into the previous buffer, and compute on
// the tile for WORK dependent operations. The slope over N is the cost of one tile. The excess over the computation is
// latency that the stages did not hide. Without STAGES: the computation alone, with no copy, commit or wait.
//
// This is a loop, because in straight-line code ptxas puts the wait for the next tile before the computation on this
// one, and every number of stages hides one tile less. The window does not wait for copies after the last tile.
#include "async_copy/cp_async.cuh"
#include "issue/trips.cuh"
#include "probe.cuh"

PROBE {
  constexpr u32 stride = 1024, buffer = 32 * BYTES, buffers = STAGES > 0 ? STAGES : 2, ahead = STAGES > 0 ? STAGES - 1 : 0;
  __shared__ __align__(128) char tile[buffers * buffer];
  Window window;
  // Includes a loaded value; otherwise the base of shared memory would be read again inside the window.
  const u32 first = shared_address(tile) + lane() * BYTES + (input(args, 2) & args.zero), last = first + (buffers - 1) * buffer;
  const float a = __uint_as_float(input(args, 0)), b = __uint_as_float(input(args, 1));
  float v = a;
  PASSES {
    const char* from = pass_source(args, pass, (N + ahead) * stride) + lane() * BYTES;
#ifdef SOURCE_l2
    window.ready(touch_l2(from - lane() * BYTES, (N + ahead) * stride));
#endif
    u32 at = first, before = last;
    float left = trips();
    window.ready(at);
    window.ready(before);
    window.ready(reinterpret_cast<u64>(from));
    window.ready(v);
    window.ready(b);
    window.ready(left);
    window.open();
    UNROLL for (u32 i = 0; i < ahead; ++i) {
      CP_ASYNC(first + i * buffer, from);
      CP_COMMIT();
      from += stride;
    }
    _Pragma("unroll 1") do {
      if (STAGES == 1) {
        CP_ASYNC(at, from);
        CP_COMMIT();
      }
      if (STAGES > 0) CP_WAIT(STAGES > 1 ? STAGES - 2 : 0);
      float x;
      asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at) : "memory");
      if (STAGES > 1) {
        CP_ASYNC(before, from);
        CP_COMMIT();
        before = at;
      }
      // Without copies, alternates between two buffers; otherwise ptxas would move the read of unwritten memory before
      // the loop.
      if (STAGES != 1) at = at == last ? first : at + buffer;
      from += stride;
      // No tile holds this value. Without an exit, ptxas may put the copy after the computation (it does for sm_100a).
      if (__float_as_uint(x) == 0x7fc0dead) break;
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(x));
      UNROLL for (int k = 1; k < WORK; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b));
    }
    while (again(left))
      ;
    window.wait(v);
    window.close();
    CP_WAIT(0);
  }
  window.report(args);
}

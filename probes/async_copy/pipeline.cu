// N tiles through STAGES buffers: wait for a tile, read it, copy a later tile into the buffer of the one before,
// compute on it for WORK dependent operations. The slope over N is what one tile costs; what exceeds the computation is
// latency that the stages did not hide. No STAGES: the computation alone, with no copy, commit or wait.
//
// A loop, because in straight code ptxas has the wait for the next tile before the computation on this one, and all
// stages hide one less. The copies behind the last tile are not waited for in the window.
#include "async_copy/cp_async.cuh"
#include "issue/trips.cuh"
#include "probe.cuh"

PROBE {
  constexpr u32 stride = 1024, buffer = 32 * BYTES, buffers = STAGES > 0 ? STAGES : 2, ahead = STAGES > 0 ? STAGES - 1 : 0;
  __shared__ __align__(128) char tile[buffers * buffer];
  Window window;
  // With something that was loaded in it: where shared memory begins would be read again inside the window.
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
      // One of two without copies, or ptxas would read what nothing writes before the loop.
      if (STAGES != 1) at = at == last ? first : at + buffer;
      from += stride;
      // No tile holds that. A way out, or ptxas may put the copy behind the computation (it does for sm_100a).
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

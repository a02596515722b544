// N tiles through STAGES buffers: wait for a tile, read it, compute on it for WORK dependent operations (64 where the
// sweep has none), copy a later tile. The slope over N is what one tile costs; what exceeds the computation is latency
// that the stages did not hide.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"

#undef OPERATIONS
#ifdef WORK
#define OPERATIONS WORK
#else
#define OPERATIONS 64
#endif

PROBE {
  __shared__ __align__(128) char tile[STAGES * 32 * BYTES];
  Window window;
  constexpr u32 stride = 1024;
  const u32 to = shared_address(tile) + lane() * BYTES;
  const float a = __uint_as_float(input(args, 0)), b = __uint_as_float(input(args, 1));
  float v = a;
  PASSES {
    const char* from = pass_source(args, pass, N * stride) + lane() * BYTES;
#ifdef SOURCE_l2
    window.ready(touch_l2(from - lane() * BYTES, N * stride));
#endif
    window.ready(to);
    window.ready(reinterpret_cast<u64>(from));
    window.ready(v);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < STAGES - 1; ++i) {
      CP_ASYNC(to + i * 32 * BYTES, from + i * stride);
      CP_COMMIT();
    }
    UNROLL for (int i = 0; i < N; ++i) {
      if (STAGES == 1) {
        CP_ASYNC(to, from + i * stride);
        CP_COMMIT();
        CP_WAIT(0);
      } else {
        CP_WAIT(STAGES > 1 ? STAGES - 2 : 0);
      }
      float x;
      asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(to + i % STAGES * 32 * BYTES) : "memory");
      if (STAGES > 1) {
        if (i + STAGES - 1 < N) CP_ASYNC(to + (i + STAGES - 1) % STAGES * 32 * BYTES, from + (i + STAGES - 1) * stride);
        CP_COMMIT();
      }
      asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(x));
      UNROLL for (int k = 0; k < OPERATIONS - 1; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b));
    }
    CP_WAIT(0);
    window.wait(v);
    window.close();
  }
  window.report(args);
}

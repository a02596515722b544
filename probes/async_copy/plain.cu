// The code that cp.async replaces: N times ld.global and st.shared of the same bytes by a whole warp. Each load's
// address depends on the previous value; otherwise ptxas would issue all loads first.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"

#undef PLAIN_COPY
#if BYTES == 8
#define PLAIN_COPY(to, p)                                                                        \
  {                                                                                              \
    asm volatile("ld.global." CACHE ".u64 %0, [%0];" : "+l"(p)::"memory");                       \
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(to), "l"(p) : "memory");                        \
  }
#else
#define PLAIN_COPY(to, p)                                                                        \
  {                                                                                              \
    u64 rest;                                                                                    \
    asm volatile("ld.global." CACHE ".v2.u64 {%0, %1}, [%0];" : "+l"(p), "=l"(rest)::"memory");  \
    asm volatile("st.shared.v2.u64 [%0], {%1, %2};" ::"r"(to), "l"(p), "l"(rest) : "memory");    \
  }
#endif

PROBE {
  __shared__ __align__(128) char tile[N * 32 * BYTES];
  Window window;
  constexpr u32 stride = 1024;
  const u32 to = shared_address(tile) + lane() * BYTES;
  PASSES {
    char* first = const_cast<char*>(pass_source(args, pass, (N + 1) * stride)) + lane() * BYTES;
    for (u32 i = 0; i < N; ++i)
      *reinterpret_cast<volatile u64*>(first + i * stride) = reinterpret_cast<u64>(first + (i + 1) * stride);
    __threadfence();
    u64 p = reinterpret_cast<u64>(first);
    window.ready(touch_l2(first - lane() * BYTES, N * stride));
    window.ready(to);
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) PLAIN_COPY(to + i * 32 * BYTES, p);
    window.close();
    window.ready(p);
  }
  window.report(args);
}

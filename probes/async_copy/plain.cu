// What cp.async replaces: N times ld.global and st.shared of the same bytes, each store waiting for its load. Every store
// has a place of its own, or ptxas would keep the last one only.
#include "async_copy/cp_async.cuh"

#undef PLAIN_COPY
#if BYTES == 4
#define PLAIN_COPY(to, from)                                                                     \
  {                                                                                              \
    u32 v;                                                                                       \
    asm volatile("ld.global." CACHE ".u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");          \
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(v) : "memory");                        \
  }
#elif BYTES == 8
#define PLAIN_COPY(to, from)                                                                     \
  {                                                                                              \
    u64 v;                                                                                       \
    asm volatile("ld.global." CACHE ".u64 %0, [%1];" : "=l"(v) : "l"(from) : "memory");          \
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(to), "l"(v) : "memory");                        \
  }
#else
#define PLAIN_COPY(to, from)                                                                     \
  {                                                                                              \
    u64 v, w;                                                                                    \
    asm volatile("ld.global." CACHE ".v2.u64 {%0, %1}, [%2];" : "=l"(v), "=l"(w) : "l"(from) : "memory"); \
    asm volatile("st.shared.v2.u64 [%0], {%1, %2};" ::"r"(to), "l"(v), "l"(w) : "memory");       \
  }
#endif

PROBE {
  __shared__ __align__(128) char tile[N * 32 * BYTES];
  Window window;
  constexpr u32 stride = 1024;
  const u32 to = shared_address(tile) + lane() * BYTES;
  PASSES {
    const char* from = pass_source(args, pass, N * stride) + lane() * BYTES;
#ifdef SOURCE_l2
    window.ready(touch_l2(from - lane() * BYTES, N * stride));
#endif
    window.ready(to);
    window.ready(reinterpret_cast<u64>(from));
    window.open();
    UNROLL for (int i = 0; i < N; ++i) PLAIN_COPY(to + i * 32 * BYTES, from + i * stride);
    window.close();
  }
  window.report(args);
}

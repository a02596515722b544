// N dependent loads through a ring of RING lines with the sweep's ORDER and SCOPE; every launch and block has other
// lines. N is a multiple of RING, so that all repeat counts load the same lines.
#include "probe.cuh"
#include "atomics/elsewhere.cuh"

#undef HOP
#define HOP(p) asm volatile("ld." ORDER "." SCOPE ".global.u64 %0, [%0];" : "+l"(p))

PROBE {
  Window window;
  static_assert(N % RING == 0);
  u64 p = elsewhere(args, RING);
  if (lane() < RING)
    asm volatile("st.global.u64 [%0], %1;"
                 ::"l"(p + lane() * line_step), "l"(p + (lane() + 1) % RING * line_step) : "memory");
  __threadfence();
  __syncwarp();
  PASSES { TIMED_HOPS(p); }
  window.report(args);
}

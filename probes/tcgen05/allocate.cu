// N times a warp allocates COLS columns of tensor memory, reads where they are, and frees them.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"

PROBE {
  __shared__ u32 place;
  Window window;
  const u32 to = shared_address(&place);
  u32 at = args.zero;
  PASSES {
    window.ready(at);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to), "n"(COLS) : "memory");
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(at) : "r"(to) : "memory");
      asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(at), "n"(COLS) : "memory");
    }
    window.wait(at);
    window.close();
  }
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  window.report(args);
}

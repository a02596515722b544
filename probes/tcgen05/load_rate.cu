// N trips of DEPTH tcgen05.ld by every warp, and one wait for them. Of each the first register is read: ptxas drops a
// tcgen05.ld whose registers are overwritten, even if it is volatile.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"
#include "tcgen05/move.cuh"

PROBE {
  Window window;
  const u32 at = tmem_allocate() + (warp() % 4 << 21);
  PASSES {
    u32 sum = args.zero;
    window.ready(at);
    window.ready(sum);
    __syncthreads();
    window.open();
    UNROLL for (int trip = 0; trip < N; ++trip) {
      u32 v[DEPTH][MOVE_REGISTERS];
      UNROLL for (int i = 0; i < DEPTH; ++i) MOVE_LD(v[i], at + 64 * i);
      asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
      UNROLL for (int i = 0; i < DEPTH; ++i) asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum) : "r"(v[i][0]));
    }
    window.wait(sum);
    window.close();
  }
  tmem_free(at);
  window.report(args);
}

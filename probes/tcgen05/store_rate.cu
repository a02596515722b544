// N trips of DEPTH tcgen05.st by every warp, and one wait for them.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"
#include "tcgen05/move.cuh"

PROBE {
  Window window;
  const u32 at = tmem_allocate() + (warp() % 4 << 21);
  u32 v[MOVE_REGISTERS];
  UNROLL for (int i = 0; i < MOVE_REGISTERS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(at);
    window.ready(v);
    __syncthreads();
    window.open();
    UNROLL for (int trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < DEPTH; ++i) MOVE_ST(v, at + 64 * i);
      asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    }
    window.close();
  }
  tmem_free(at);
  window.report(args);
}

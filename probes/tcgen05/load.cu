// N times tcgen05.ld of other columns and the wait for it. Its first register is read each time: ptxas drops a
// tcgen05.ld whose registers are overwritten, even if it is volatile.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"
#include "tcgen05/move.cuh"

PROBE {
  Window window;
  const u32 at = tmem_allocate();
  u32 v[MOVE_REGISTERS];
  PASSES {
    window.ready(at);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      MOVE_LD(v, at + 16 * i);
      asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
      window.wait(v[0]);
    }
    window.close();
  }
  tmem_free(at);
  window.report(args);
}

// N times tcgen05.ld.red of other columns and the wait for it.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"
#include "tcgen05/move.cuh"

PROBE {
  Window window;
  const u32 at = tmem_allocate();
  u32 v[MOVE_REGISTERS], most;
  PASSES {
    window.ready(at);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      MOVE_LD_RED(v, most, at + 16 * i);
      asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
      window.wait(v[0]);
      window.wait(most);
    }
    window.close();
  }
  tmem_free(at);
  window.report(args);
}

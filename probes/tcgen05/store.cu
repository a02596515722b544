// N times tcgen05.st to other columns and the wait for it.
#include "probe.cuh"
#include "tcgen05/tmem.cuh"
#include "tcgen05/move.cuh"

PROBE {
  Window window;
  const u32 at = tmem_allocate();
  u32 v[MOVE_REGISTERS];
  UNROLL for (int i = 0; i < MOVE_REGISTERS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(at);
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      MOVE_ST(v, at + 16 * i);
      asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    }
    window.close();
  }
  tmem_free(at);
  window.report(args);
}

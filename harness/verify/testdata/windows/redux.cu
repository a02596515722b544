// A chain of redux.sync, whose uniform result a move or an exclusive or takes back to the lanes.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 mine = input(args, 1);
  PASSES {
    window.ready(v);
    window.ready(mine);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(v));
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(v) : "r"(mine));
    }
    window.wait(v);
    window.close();
  }
  window.report(args);
}

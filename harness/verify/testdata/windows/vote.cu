// A chain of ballots and the compares that make predicates of their masks.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  const u32 mine = input(args, 1);
  PASSES {
    window.ready(v);
    window.ready(mine);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                   : "+r"(v)
                   : "r"(mine));
    window.wait(v);
    window.close();
  }
  window.report(args);
}

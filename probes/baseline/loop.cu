// A counted loop of N rounds that the compiler must not unroll: what a rolled loop would add to every instruction.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.open();
    _Pragma("unroll 1") for (int i = 0; i < N; ++i) asm volatile("shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(v));
    window.wait(v);
    window.close();
  }
  window.report(args);
}

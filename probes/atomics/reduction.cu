// N trips of DEPTH reductions by each lane, which return nothing, and an access to the same word that waits for them.
// There are four values, because the compiler drops a repeated idempotent operation.
#include "probe.cuh"
#include "atomics/atom.cuh"
#include "atomics/place.cuh"

PROBE {
  Window window;
  const auto p = place(args);
  Word v[DEPTH][WORDS];
  UNROLL for (int i = 0; i < DEPTH; ++i)
    UNROLL for (int j = 0; j < WORDS; ++j) v[i][j] = input(args, 2 + i + j);
  PASSES {
    UNROLL for (int i = 0; i < DEPTH; ++i) window.ready(v[i]);
    MEET(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < DEPTH; ++i) RED(p, v[i]);
#ifdef SPACE_shared
    u32 last;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(last) : "r"(p));
#else
    Word last[WORDS];
    ATOM(last, p, v[0]);
#endif
    window.wait(last);
    window.close();
  }
  window.report(args);
}

// mma.sync; each result is the OPERAND (a, b or c) of the next, and the other operands are independent of it. If the
// operand is wider than the result, the result is its first registers.
#include "probe.cuh"
#include "matrix/mma.cuh"

PROBE {
  Window window;
  MMA_WORD a[NA], b[NB], c[NC], d[NC];
  PASSES {
    // Loaded again: values carried from pass to pass would be moved between registers inside the window.
    UNROLL for (int i = 0; i < NA; ++i) a[i] = MmaWord<MMA_WORD>::load(args, i);
    UNROLL for (int i = 0; i < NB; ++i) b[i] = MmaWord<MMA_WORD>::load(args, NA + i);
    UNROLL for (int i = 0; i < NC; ++i) c[i] = MmaWord<MMA_WORD>::load(args, NA + NB + i);
    UNROLL for (int i = 0; i < NC; ++i) d[i] = MmaWord<MMA_WORD>::load(args, NA + NB + NC + i);
    window.ready(a);
    window.ready(b);
    window.ready(c);
    window.ready(d);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#if defined(OPERAND_a)
      UNROLL for (int j = 0; j < (NC < NA ? NC : NA); ++j) a[j] = d[j];
      MMA(d, a, b, c);
#elif defined(OPERAND_b)
      UNROLL for (int j = 0; j < (NC < NB ? NC : NB); ++j) b[j] = d[j];
      MMA(d, a, b, c);
#else
      MMA(d, a, b, d);
#endif
    }
    window.wait(d);
    window.close();
  }
  window.report(args);
}

// N atomic operations of one warp. The value of each is the result of the previous one, the old contents of the word.
// In global memory every block has its own words, different in every launch.
#include "probe.cuh"
#include "atomics/atom.cuh"
#include "atomics/place.cuh"

PROBE {
  Window window;
  const auto p = place(args, blockIdx.x);
#ifdef LANES_one
  if (lane() != 0) return;
#endif
  const Word swap = input(args, 1);
  Word v[WORDS];
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, 2 + i);
  PASSES {
    ATOM(v, p, v);  // untimed: a value carried from pass to pass would be moved between registers inside the window
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) ATOM(v, p, v);
    window.wait(v);
    window.close();
  }
  window.report(args);
}

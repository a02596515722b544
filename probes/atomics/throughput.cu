// N trips of DEPTH atomic operations by each lane, in DEPTH chains: the value of each is the result of the previous
// trip.
#include "probe.cuh"
#include "atomics/atom.cuh"
#include "atomics/place.cuh"

PROBE {
  Window window;
  const auto p = place(args);
  const Word swap = input(args, 1);
  Word v[DEPTH][WORDS];
  UNROLL for (int i = 0; i < DEPTH; ++i)
    UNROLL for (int j = 0; j < WORDS; ++j) v[i][j] = input(args, 2 + i + j);
  PASSES {
    UNROLL for (int i = 0; i < DEPTH; ++i) window.ready(v[i]);
    window.ready(swap);
    MEET(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < DEPTH; ++i) ATOM(v[i], p, v[i]);
    UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);
    window.close();
  }
  window.report(args);
}

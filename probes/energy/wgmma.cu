// N wgmma by each of two warpgroups in a trip, to one accumulator, with A and B from shared memory.
#include "energy/paced.cuh"
#include "wgmma/wgmma.cuh"

PROBE {
  extern __shared__ __align__(1024) char tiles[];
  WgOperands<1> from(args, tiles, 2);
  from.load(args);
  u32 d[WG_D];
  UNROLL for (int i = 0; i < WG_D; ++i) d[i] = from.seed;
  paced(
      args, [&](Window& window) { window.ready(from.meta); },
      [&] {
        wg_fence();
        UNROLL for (int i = 0; i < N; ++i) WGMMA(d, from.a[0], from.b[0], from.meta);
        wg_commit();
        wg_wait();
      },
      [&](Window& window, u32 pace) { window.wait(d[0]), window.wait(pace); });
}

// N trips of 8 loads of BYTES per lane from shared memory, with each lane at a place given by the config's `along:`.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "geometry/bank_places.cuh"

PROBE {
  __shared__ __align__(16) char tile[32 * 1024];
  Window window;
  // Includes a value from memory; otherwise ptxas would compute it again inside the window.
  const u32 p = shared_address(tile) + bank_place(static_cast<u32>(args.at)) % sizeof tile + (input(args, 0) & args.zero);
  u32 v[8][WORDS];
  PASSES {
    window.ready(p);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < 8; ++i) LOAD("ld.volatile.shared", "r", v[i], p);
    UNROLL for (int i = 0; i < 8; ++i) window.wait(v[i]);
    window.close();
  }
  window.report(args);
}

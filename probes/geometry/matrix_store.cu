// N trips of 8 stmatrix to a tile whose rows are given by the config's `along:`. A load of a stored word ends the
// window.
#define TRANS 0
#include "probe.cuh"
#include "geometry/matrix_rows.cuh"
#include "matrix/stmatrix.cuh"

PROBE {
  __shared__ __align__(1024) char tile[16 * 1024];
  Window window;
  // Includes a value from memory; otherwise ptxas would compute it again inside the window.
  const u32 p = shared_address(tile) + matrix_row(static_cast<u32>(args.at)) % sizeof tile + (input(args, 0) & args.zero);
  u32 v[NUM], last;
  UNROLL for (int i = 0; i < NUM; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(p);
    window.ready(v);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < 8; ++i) STMATRIX(p, v);
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(last) : "r"(p));
    window.wait(last);
    window.close();
  }
  window.report(args);
}

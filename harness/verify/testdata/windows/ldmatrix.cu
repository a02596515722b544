// A chain of ldmatrix through its address.
#include "probe.cuh"

PROBE {
  __shared__ __align__(128) u32 rows[1024];
  Window window;
  UNROLL for (int i = 0; i < 32; ++i) rows[i * 32 + lane()] = shared_address(rows) + lane() / 4 * 16;
  __syncthreads();
  u32 d[4] = {shared_address(rows) + lane() * 16};
  PASSES {
    window.ready(d[0]);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                   : "r"(d[0]));
    window.wait(d[0]);
    window.close();
  }
  window.report(args);
}

// N stmatrix, then a load of what was stored, so that the window closes behind the stores.
#include "probe.cuh"

PROBE {
  __shared__ __align__(128) u32 rows[1024];
  Window window;
  const u32 address = shared_address(rows) + lane() * 16;
  u32 v[4];
  UNROLL for (int i = 0; i < 4; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(v);
    window.ready(address);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v[0]), "r"(v[1]),
                   "r"(v[2]), "r"(v[3]));
    u32 back;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(back) : "r"(address));
    window.wait(back);
    window.close();
  }
  window.report(args);
}

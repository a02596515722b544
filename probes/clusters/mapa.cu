// mapa, or getctarank of its result; each result is the source of the next.
#include "probe.cuh"

#undef STEP
#undef Address
#ifdef OF_generic
#define Address u64
#define STEP(p, rank) asm volatile("mapa.u64 %0, %0, %1;" : "+l"(p) : "r"(rank))
#else
#define Address u32
#ifdef OP_mapa
#define STEP(p, rank) asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(p) : "r"(rank))
#else
#define STEP(p, rank) asm volatile("getctarank.shared::cluster.u32 %0, %0;" : "+r"(p))
#endif
#endif

PROBE {
  __shared__ u32 tile[32];
  Window window;
#ifdef OF_generic
  Address p = reinterpret_cast<u64>(tile + lane());
#else
  Address p = static_cast<u32>(__cvta_generic_to_shared(tile + lane()));
#endif
  p += input(args, 0) & args.zero;
  const u32 rank = input(args, 1) & 1;
  PASSES {
    window.ready(p);
    window.ready(rank);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) STEP(p, rank);
    window.wait(p);
    window.close();
  }
  window.report(args);
}

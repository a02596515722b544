// N trips of DEPTH loads of BYTES from constant memory at addresses in a register, from one line of 64 bytes to the next
// over FOOTPRINT bytes. In each load ADDRESSES lanes in a row have addresses that are APART bytes from each other. Warps
// begin at lines of their own, as far from each other as the footprint allows.
#include "probe.cuh"
#include "memory/constants.cuh"

#undef VALUE
#undef LOAD_CONSTANT
#if BYTES == 8
#define VALUE u64
#define LOAD_CONSTANT(v, p) asm volatile("ld.const.b64 %0, [%1];" : "=l"(v) : "r"(p))
#else
#define VALUE u32
#define LOAD_CONSTANT(v, p) asm volatile("ld.const.b32 %0, [%1];" : "=r"(v) : "r"(p))
#endif

PROBE {
  Window window;
  u32 base;
  asm volatile("{ .reg .u64 a; mov.u64 a, constant_middles; cvt.u32.u64 %0, a; }" : "=r"(base));
  constexpr u32 lines = FOOTPRINT / 64;
  const u32 mine = base + lane() % ADDRESSES * APART;
  u32 at = (input(args, 0) & args.zero) + warp() * (lines / WARPS > 0 ? lines / WARPS : 1) % lines * 64;
  VALUE v[DEPTH];
  PASSES {
    window.ready(at);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD_CONSTANT(v[i], mine + ((at + i * 64) & (FOOTPRINT - 1)));
      at = at + DEPTH * 64 & (FOOTPRINT - 1);
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);  // otherwise ptxas would drop the loads
    }
    window.close();
  }
  fact(args, 0, base);
  window.report(args);
}

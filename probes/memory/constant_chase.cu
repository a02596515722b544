// N dependent loads from constant memory. A kernel cannot store addresses there, so all words are equal, the address of
// the middle, and the distance from there is a part of each instruction. The loads read one word in STRIDE bytes, in a
// scattered order, over the first FOOTPRINT bytes.
#include "probe.cuh"
#include "memory/constants.cuh"

#undef HOP
#define HOP(p, at) asm volatile("ld.const.u32 %0, [%1];" : "=r"(p) : "r"(p + ((at) - constant_middle)))

PROBE {
  constexpr u32 slots = FOOTPRINT / STRIDE;
  Window window;
  u32 base;
  asm volatile("{ .reg .u64 a; mov.u64 a, constant_middles; cvt.u32.u64 %0, a; }" : "=r"(base));
  u32 p = (input(args, 0) & args.zero) + base + constant_middle;
  PASSES {
    // The window loads the same words in every pass, so everything is read again before it.
    _Pragma("unroll 1") for (u32 slot = 0; slot < slots; ++slot) HOP(p, slot * STRIDE);
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) HOP(p, i * 29 % slots * STRIDE);
    window.wait(p);
    window.close();
  }
  fact(args, 0, base);
  window.report(args);
}

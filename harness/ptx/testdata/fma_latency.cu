#include "probe.cuh"
PROBE {
  Window window;
  asm volatile(".reg .b32 wd0_0;");
  asm volatile(".reg .b32 wa0_0;");
  asm volatile(".reg .b32 wb0_0;");
  asm volatile(".reg .b32 wc0_0;");
  asm volatile("mov.b32 wd0_0, %0;" ::"r"(((input(args, 0) & 0x7fffffu) | 0x3f800000u)));
  asm volatile("mov.b32 wb0_0, %0;" ::"r"(((input(args, 1) & 0x7fffffu) | 0x3f800000u)));
  asm volatile("mov.b32 wc0_0, %0;" ::"r"(((input(args, 2) & 0x7fffffu) | 0x3f800000u)));
  u32 zero = args.zero, passes = args.passes;
  asm volatile("" : "+r"(zero), "+r"(passes));
  _Pragma("unroll 1") for (u32 pass = 0; pass < passes; pass = window.next(pass, zero)) {
    window.ready(zero + passes);
    { u32 v; asm volatile("mov.b32 %0, wd0_0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wb0_0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wc0_0;" : "=r"(v)); window.ready(v); }
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("fma.rn.f32 wd0_0, wd0_0, wb0_0, wc0_0;");
    { u32 v; asm volatile("mov.b32 %0, wd0_0;" : "=r"(v)); window.wait(v); }
    window.close();
  }
  window.report(args);
}

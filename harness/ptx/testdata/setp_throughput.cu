#include "probe.cuh"
PROBE {
  Window window;
  asm volatile(".reg .pred wp0_0, wp0_1, wp0_2, wp0_3;");
  asm volatile(".reg .b32 wa0_0, wa0_1, wa0_2, wa0_3;");
  asm volatile(".reg .b32 wb0_0;");
  asm volatile("mov.b32 wa0_0, %0;" ::"r"((input(args, 0) & 0xffffffffu)));
  asm volatile("mov.b32 wa0_1, %0;" ::"r"((input(args, 1) & 0xffffffffu)));
  asm volatile("mov.b32 wa0_2, %0;" ::"r"((input(args, 2) & 0xffffffffu)));
  asm volatile("mov.b32 wa0_3, %0;" ::"r"((input(args, 3) & 0xffffffffu)));
  asm volatile("mov.b32 wb0_0, %0;" ::"r"((input(args, 4) & 0xffffffffu)));
  u32 zero = args.zero, passes = args.passes;
  asm volatile("" : "+r"(zero), "+r"(passes));
  _Pragma("unroll 1") for (u32 pass = 0; pass < passes; pass = window.next(pass, zero)) {
    window.ready(zero + passes);
    { u32 v; asm volatile("mov.b32 %0, wa0_0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_1;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_2;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_3;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wb0_0;" : "=r"(v)); window.ready(v); }
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < 8; ++trip) {
      UNROLL for (int i = 0; i < N; ++i)
        asm volatile("setp.eq.s32 wp0_0, wa0_0, wb0_0; selp.b32 wa0_0, wa0_0, 1, wp0_0; setp.eq.s32 wp0_1, wa0_1, wb0_0; selp.b32 wa0_1, wa0_1, 1, wp0_1; setp.eq.s32 wp0_2, wa0_2, wb0_0; selp.b32 wa0_2, wa0_2, 1, wp0_2; setp.eq.s32 wp0_3, wa0_3, wb0_0; selp.b32 wa0_3, wa0_3, 1, wp0_3;");
    }
    { u32 v; asm volatile("selp.b32 %0, 1, 0, wp0_0;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("selp.b32 %0, 1, 0, wp0_1;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("selp.b32 %0, 1, 0, wp0_2;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("selp.b32 %0, 1, 0, wp0_3;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_0;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_1;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_2;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_3;" : "=r"(v)); window.wait(v); }
    window.close();
  }
  window.report(args);
}

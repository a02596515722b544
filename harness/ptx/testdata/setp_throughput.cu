#include "probe.cuh"
PROBE {
  Window window;
  asm volatile(".reg .pred wp0_0, wp0_1;");
  asm volatile(".reg .b32 wa0_0, wa0_1;");
  asm volatile(".reg .b32 wb0_0;");
  asm volatile("mov.b32 wa0_0, %0;" ::"r"((input(args, 0) & 0xffffffffu)));
  asm volatile("mov.b32 wa0_1, %0;" ::"r"((input(args, 1) & 0xffffffffu)));
  asm volatile("mov.b32 wb0_0, %0;" ::"r"((input(args, 2) & 0xffffffffu)));
  asm volatile(".reg .b32 wk0;");
  asm volatile("mov.b32 wk0, %0;" ::"r"(((input(args, 3) & 0x7fffffu) | 0x3f800000u)));
  asm volatile(".reg .b32 wk1;");
  asm volatile("mov.b32 wk1, %0;" ::"r"(((input(args, 4) & 0x7fffffu) | 0x3f800000u)));
  asm volatile(".reg .b32 wk2;");
  asm volatile("mov.b32 wk2, %0;" ::"r"(((input(args, 5) & 0x7fffffu) | 0x3f800000u)));
  asm volatile(".reg .b32 wk3;");
  asm volatile("mov.b32 wk3, %0;" ::"r"(((input(args, 6) & 0x7fffffu) | 0x3f800000u)));
  u32 zero = args.zero, passes = args.passes;
  asm volatile("" : "+r"(zero), "+r"(passes));
  _Pragma("unroll 1") for (u32 pass = 0; pass < passes; pass = window.next(pass, zero)) {
    window.ready(zero + passes);
    { u32 v; asm volatile("mov.b32 %0, wa0_0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_1;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wb0_0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wk0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wk1;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wk2;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wk3;" : "=r"(v)); window.ready(v); }
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("setp.eq.s32 wp0_0, wa0_0, wb0_0; { .reg .b32 t0; mov.b32 t0, wa0_0; @wp0_0 add.f32 t0, t0, 0f0DA24260; mov.b32 wa0_0, t0; } setp.eq.s32 wp0_1, wa0_1, wb0_0; { .reg .b32 t0; mov.b32 t0, wa0_1; @wp0_1 add.f32 t0, t0, 0f0DA24260; mov.b32 wa0_1, t0; }");
    { u32 v; asm volatile("selp.b32 %0, 1, 0, wp0_0;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("selp.b32 %0, 1, 0, wp0_1;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_0;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_1;" : "=r"(v)); window.wait(v); }
    window.close();
  }
  window.report(args);
}

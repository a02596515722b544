#include "probe.cuh"
PROBE {
  Window window;
  asm volatile(".reg .b32 wd0_0;");
  asm volatile(".reg .b32 wa0_0;");
  asm volatile("mov.b32 wd0_0, %0;" ::"r"((input(args, 0) & 0xffffffffu)));
  __shared__ alignas(128) char wshared_a[4096];
  u64 wa_address = shared_address(wshared_a) + threadIdx.x * 4u;
  asm volatile("st.volatile.shared.b32 [%0+0], %1;" ::"r"(static_cast<u32>(wa_address)), "r"(args.zero) : "memory");
  asm volatile("mov.b32 wa0_0, %0;" ::"r"(static_cast<u32>(wa_address)));
  asm volatile(".reg .pred wg0;");
  asm volatile("setp.ne.u32 wg0, %0, 0x9e3779b9;" ::"r"(input(args, 1)));
  asm volatile(".reg .pred wg1;");
  asm volatile("setp.ne.u32 wg1, %0, 0x9e3779b9;" ::"r"(input(args, 2)));
  asm volatile(".reg .pred wg2;");
  asm volatile("setp.ne.u32 wg2, %0, 0x9e3779b9;" ::"r"(input(args, 3)));
  u32 zero = args.zero, passes = args.passes;
  asm volatile("" : "+r"(zero), "+r"(passes));
  _Pragma("unroll 1") for (u32 pass = 0; pass < passes; pass = window.next(pass, zero)) {
    window.ready(zero + passes);
    { u32 v; asm volatile("mov.b32 %0, wd0_0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_0;" : "=r"(v)); window.ready(v); }
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N / 3; ++i)
      asm volatile("@wg0 ld.shared.u8 wd0_0, [wa0_0]; add.u32 wa0_0, wa0_0, wd0_0; @wg1 ld.shared.u8 wd0_0, [wa0_0]; add.u32 wa0_0, wa0_0, wd0_0; @wg2 ld.shared.u8 wd0_0, [wa0_0]; add.u32 wa0_0, wa0_0, wd0_0;");
    { u32 v; asm volatile("mov.b32 %0, wd0_0;" : "=r"(v)); window.wait(v); }
    { u32 v; asm volatile("mov.b32 %0, wa0_0;" : "=r"(v)); window.wait(v); }
    window.close();
  }
  window.report(args);
}

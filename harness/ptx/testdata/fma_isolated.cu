#include "probe.cuh"
PROBE {
  Window window;
  asm volatile(".reg .b32 wd0_0;");
  asm volatile(".reg .b32 wa0_0;");
  asm volatile(".reg .b32 wb0_0;");
  asm volatile(".reg .b32 wc0_0;");
  __shared__ alignas(16) char wshared[16384];
  u32 place = shared_address(wshared) + threadIdx.x * 16;
  window.ready(place);
  window.open();
  asm volatile("ld.volatile.shared.b32 wa0_0, [%0];" ::"r"(place));
  asm volatile("ld.volatile.shared.b32 wb0_0, [%0];" ::"r"(place));
  asm volatile("ld.volatile.shared.b32 wc0_0, [%0];" ::"r"(place));
  asm volatile("fma.rn.f32 wd0_0, wa0_0, wb0_0, wc0_0;");
  asm volatile("st.volatile.shared.b32 [%0], wd0_0;" ::"r"(place));
  window.close();
  window.report(args);
}

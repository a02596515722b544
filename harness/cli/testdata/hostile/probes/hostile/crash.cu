// A good window, and after it what HOW says goes wrong.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
    window.wait(v);
    window.close();
  }
#if defined(HOW_illegal_address)
  *reinterpret_cast<volatile u32*>(u64{args.zero} + 16) = v;
#elif defined(HOW_endless_loop)
  while (*reinterpret_cast<volatile u32*>(args.data) != 0xdeadbeef || args.zero == 0) {
  }
#elif defined(HOW_trap)
  if (args.zero == 0) asm volatile("trap;");
#elif defined(HOW_syntax)
  asm volatile("shfl.sinc.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
#endif
  window.report(args);
}

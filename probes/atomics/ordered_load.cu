// N dependent loads of an address that is stored at itself, by loads of the sweep's ORDER and SCOPE.
#include "probe.cuh"

#undef HOP
#define HOP(p) asm volatile("ld." ORDER "." SCOPE ".global.u64 %0, [%0];" : "+l"(p))

PROBE {
  Window window;
  u64 p = reinterpret_cast<u64>(args.data) + 65536 + (input(args, 0) & args.zero);
  asm volatile("st.global.u64 [%0], %0;" ::"l"(p) : "memory");
  __threadfence();
  PASSES {
    HOP(p);  // untimed: what is carried from pass to pass would be moved between registers inside the window
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) HOP(p);
    window.wait(p);
    window.close();
  }
  window.report(args);
}

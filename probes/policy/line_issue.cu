// N times the operation OP on lines in L2, one line per lane and different ones each time, without a wait.
#include "probe.cuh"

#undef LINE_OP
#if defined(OP_discard)
#define LINE_OP(p) asm volatile("discard.global.L2 [%0], 128;" ::"l"(p))
#elif defined(OP_applypriority)
#define LINE_OP(p) asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(p))
#else
#define LINE_OP(p) asm volatile("prefetch.global.L2 [%0];" ::"l"(p))
#endif

PROBE {
  Window window;
  char* const mine = args.data + lane() * 128 + (input(args, 0) & args.zero);
  PASSES {
    window.ready(reinterpret_cast<u64>(mine));
    window.open();
    UNROLL for (int i = 0; i < N; ++i) LINE_OP(mine + 65536 + i * 4096);
    window.close();
  }
  window.report(args);
}

// A barrier for all threads of the block. OP: sync; arrive and then sync of the same barrier; red; or the warp's own.
#include "probe.cuh"

#undef STEP
#if defined(OP_sync)
#define STEP() asm volatile("bar.sync 0;")
#elif defined(OP_sync_count)
#define STEP() asm volatile("bar.sync 1, %0;" ::"r"(threads))
#elif defined(OP_red_popc)
#define STEP() asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, 0;\n\tbar.red.popc.u32 %0, 0, p;\n\t}" : "+r"(v))
#elif defined(OP_red_and)
#define STEP()                                                                                                        \
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, 0;\n\tbar.red.and.pred p, 0, p;\n\tselp.u32 %0, 1, 0, p;\n\t}"\
               : "+r"(v))
#endif

PROBE {
  Window window;
  [[maybe_unused]] const u32 threads = blockDim.x + (input(args, 1) & args.zero);
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.ready(threads);
    __syncthreads();
    window.open();
    UNROLL for (int i = 0; i < N; ++i) STEP();
#if defined(OP_red_popc) || defined(OP_red_and)
    window.wait(v);
#endif
    window.close();
  }
  window.report(args);
}

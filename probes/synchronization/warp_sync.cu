// bar.warp.sync, or elect.sync, of all lanes or of the half that has gone this way: OP, LANES.
#include "probe.cuh"

#undef MASK
#ifdef LANES_half
#define MASK "0xffff"
#else
#define MASK "0xffffffff"
#endif

PROBE {
  Window window;
  u32 v = input(args, 1);
#ifdef LANES_half
  if (lane() < 16)
#endif
  {
    PASSES {
      window.ready(v);
      window.open();
      UNROLL for (int i = 0; i < N; ++i)
#ifdef OP_elect
        asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, " MASK ";\n\t@p add.u32 %0, %0, 1;\n\t}" : "+r"(v));
      window.wait(v);
#else
        asm volatile("bar.warp.sync " MASK ";");
#endif
      window.close();
    }
    window.report(args);
  }
}

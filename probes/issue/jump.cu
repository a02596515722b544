// N trips over JUMPS branches that are always taken, each past FILLER instructions that never execute.
#include "probe.cuh"
#include "issue/trips.cuh"

#undef FOUR
#undef SKIPPED
#define FOUR                       \
  "fma.rn.f32 %0, %0, %1, %2;\n"   \
  "fma.rn.f32 %0, %0, %2, %1;\n"   \
  "fma.rn.f32 %0, %0, %0, %1;\n"   \
  "fma.rn.f32 %0, %0, %0, %2;\n"
#if FILLER == 8
#define SKIPPED FOUR FOUR
#elif FILLER == 32
#define SKIPPED FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR
#else
#define SKIPPED                                                                                            \
  FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR \
  FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR
#endif

PROBE {
  Window window;
  PASSES {
    u32 v = input(args, 0);
    const u32 b = input(args, 1), c = input(args, 2), p = input(args, 3);  // zero, like all the data
    float left = trips();
    window.ready(v);
    window.ready(b);
    window.ready(c);
    window.ready(p);
    window.ready(left);
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < JUMPS; ++i)
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %3, 0; @p bra.uni after; " SKIPPED " after: }"
                     : "+r"(v) : "r"(b), "r"(c), "r"(p));
    } while (again(left));
    window.wait(v);
    window.close();
  }
  window.report(args);
}

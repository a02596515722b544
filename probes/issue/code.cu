// N trips through KIB KiB of code without branches: fused multiply-adds in four chains, so that none waits for the
// previous one.
#include "probe.cuh"
#include "issue/trips.cuh"

#undef FOUR
#undef SIXTEEN
#undef SIXTY_FOUR
#define FOUR                          \
  "fma.rn.f32 %0, %0, %4, %5;\n"      \
  "fma.rn.f32 %1, %1, %4, %5;\n"      \
  "fma.rn.f32 %2, %2, %4, %5;\n"      \
  "fma.rn.f32 %3, %3, %4, %5;\n"
#define SIXTEEN FOUR FOUR FOUR FOUR
#define SIXTY_FOUR SIXTEEN SIXTEEN SIXTEEN SIXTEEN

PROBE {
  Window window;
  u32 v[4];
  PASSES {
    UNROLL for (int j = 0; j < 4; ++j) v[j] = input(args, j);
    const u32 b = input(args, 4), c = input(args, 5);
    float left = trips();
    window.ready(v);
    window.ready(b);
    window.ready(c);
    window.ready(left);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < KIB; ++i)
        asm volatile(SIXTY_FOUR : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : "r"(b), "r"(c));
    } while (again(left));
    UNROLL for (int j = 0; j < 4; ++j) window.wait(v[j]);
    window.close();
  }
  window.report(args);
}

// A chain of matrix multiplies through the accumulator.
#include "probe.cuh"

PROBE {
  Window window;
  u32 a[4], b[2], d[4];
  UNROLL for (int i = 0; i < 4; ++i) a[i] = input(args, i);
  UNROLL for (int i = 0; i < 2; ++i) b[i] = input(args, 4 + i);
  UNROLL for (int i = 0; i < 4; ++i) d[i] = input(args, 6 + i);
  PASSES {
    window.ready(a);
    window.ready(b);
    window.ready(d);
    window.open();
    UNROLL for (int i = 0; i < N; ++i)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    window.wait(d[0]);
    window.close();
    window.ready(d);
  }
  window.report(args);
}

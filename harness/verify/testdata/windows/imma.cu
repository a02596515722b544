// A chain of integer matrix multiplies through B, which the result is as wide as.
#include "probe.cuh"

PROBE {
  Window window;
  u32 a[2], b, c[4], d[4];
  UNROLL for (int i = 0; i < 2; ++i) a[i] = input(args, i);
  b = input(args, 2);
  UNROLL for (int i = 0; i < 4; ++i) c[i] = input(args, 3 + i);
  PASSES {
    window.ready(a);
    window.ready(b);
    window.ready(c);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                   : "r"(a[0]), "r"(a[1]), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
      b = d[0];
    }
    window.wait(b);
    window.close();
  }
  window.report(args);
}

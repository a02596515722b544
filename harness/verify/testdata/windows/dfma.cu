// A chain of double-precision multiply-adds through the addend.
#include "probe.cuh"

PROBE {
  Window window;
  double v = __hiloint2double(input(args, 0), input(args, 1)), a = __hiloint2double(input(args, 2), input(args, 3));
  double b = __hiloint2double(input(args, 4), input(args, 5));
  PASSES {
    window.ready(v);
    window.ready(a);
    window.ready(b);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("fma.rn.f64 %0, %1, %2, %0;" : "+d"(v) : "d"(a), "d"(b));
    window.wait(v);
    window.close();
  }
  window.report(args);
}

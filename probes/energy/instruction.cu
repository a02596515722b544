// N instructions by each warp in a trip, in four chains. Those of a chain have the two operands in turn, so that a product
// neither grows nor vanishes.
#include "energy/paced.cuh"
#include "energy/op.cuh"

PROBE {
  Words a[4], b[4], d[4];
  UNROLL for (int i = 0; i < 4; ++i) {
    a[i] = operand(args, 3 * i);
    b[i] = operand(args, 3 * i + 1);
    d[i] = operand(args, 3 * i + 2);
#ifdef OP_fmul
    a[i] = 1.0f + fabsf(a[i]) * 64, b[i] = 1.0f / a[i];
#endif
  }
  paced(
      args, [&](Window& window) { window.ready(a), window.ready(b), window.ready(d); },
      [&] { UNROLL for (int i = 0; i < N; ++i) 
        op(d[i % 4], i / 4 % 2 ? b[i / 8 % 4] : a[i / 8 % 4], i / 4 % 2 ? a[i / 8 % 4] : b[i / 8 % 4]); },
#ifdef OP_lop3
      [&](Window& window, u32 pace) { window.ready(d), window.ready(pace); });  // wait() would be another LOP3
#else
      [&](Window& window, u32 pace) { window.wait(d), window.wait(pace); });
#endif
}

// N instructions by each warp in a trip, in four chains.
#include "energy/paced.cuh"
#include "energy/op.cuh"

PROBE {
  Words a[4], b[4], d[4];
  UNROLL for (int i = 0; i < 4; ++i) {
    a[i] = operand(args, 3 * i);
    b[i] = operand(args, 3 * i + 1);
    d[i] = operand(args, 3 * i + 2);
  }
  paced(
      args, [&](Window& window) { window.ready(a), window.ready(b), window.ready(d); },
      [&] { UNROLL for (int i = 0; i < N; ++i) op(d[i % 4], a[i / 4 % 4], b[i / 4 % 4]); },
#ifdef OP_lop3
      [&](Window& window, u32 pace) { window.ready(d), window.ready(pace); });  // wait() would be another LOP3
#else
      [&](Window& window, u32 pace) { window.wait(d), window.wait(pace); });
#endif
}

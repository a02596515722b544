// Which elements does each lane receive from movmatrix? Compared with the formula of the PTX ISA: lane l has row l / 4,
// columns 2 (l % 4) and the next, and gets those of the transposed matrix. A place is half a register, lane by lane; it
// holds 1 + row * 8 + column of the source.
#include "probe.cuh"

PROBE {
  Window window;
  const u32 row = lane() / 4, column = 2 * (lane() % 4);
  const u32 mine = (row * 8 + column) | (row * 8 + column + 1) << 16;
  u32 d;
  PASSES {
    window.ready(mine);
    window.open();
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(mine));
    window.wait(d);
    window.close();
  }
  args.places[lane() * 2] = 1 + (d & 0xffff);
  args.places[lane() * 2 + 1] = 1 + (d >> 16);
  const u32 wrong = ((d & 0xffff) != column * 8 + row) + ((d >> 16) != (column + 1) * 8 + row);
  count_fact(args, 0, wrong);
  count_fact(args, 1, 2);
  fact(args, 2, 8);
  fact(args, 3, 8);
  fact(args, 4, 2);
  window.report(args);
}

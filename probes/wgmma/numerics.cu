// What one wgmma adds up, for inputs that are powers of two (or zero): the questions of matrix/mma_numerics. The wgmma
// in the window uses whatever is in shared memory; the one after it asks the question.
#include "probe.cuh"
#include "wgmma/tile.cuh"
#include "matrix/mma_value.cuh"
#include "matrix/mma_question.cuh"

PROBE {
  extern __shared__ __align__(1024) char tiles[];
  Window window;
  constexpr u32 b_bytes = COLS * 32;
  const u32 tile = shared_address(tiles);
  one_wgmma(args, tiles, window);

  fill<COLS>(tiles, [](u32 column, u32 k) { return question_b(k, column); });
  fill<64>(tiles + b_bytes, [](u32 row, u32 k) { return question_a(row, k); });
  u64 a = wg_descriptor<64, 32>(tile + b_bytes, 0);
  u32 d[WG_D] = {};
  const u32 first_row = 16 * warp();
  UNROLL for (u32 i = 0; i < D_PARTS; ++i)
    d[i / D_PACKED] |= static_cast<u32>(question_c(first_row + row_of_d(i), column_of_d(i))) << (16 * (i % D_PACKED));
  multiply_add(d, a, wg_descriptor<COLS, 32>(tile, 0));
  UNROLL for (u32 i = 0; i < D_PARTS; ++i) answer(args, first_row + row_of_d(i), column_of_d(i), part_of(d, i));
  window.report(args);
}

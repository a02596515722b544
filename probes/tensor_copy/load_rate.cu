// N trips of STAGES copies of a tile from L2 to shared memory by one thread of each block. Each stage has a buffer and
// an mbarrier; a buffer is refilled as soon as it is full. Nothing reads the data.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "tensor_copy/tensor.cuh"
#include "tensor_copy/tile.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 bytes = ROWS * 128;
  extern __shared__ __align__(1024) char buffers[];
  __shared__ u64 words[STAGES];
  Window window;
  const u32 to = shared_address(buffers), barrier = shared_address(words);
  u64 map = tensor_map(args);
  set_up(barrier, STAGES);
  if (!elected()) return;
  u32 parity = 1, late = none_late(args), tile = blockIdx.x * STAGES;
  const u32 step = gridDim.x * STAGES;
  BULK_PASSES {
    map += args.zero;  // carried from pass to pass; otherwise ptxas would compute it inside the window
    window.ready(map);
    window.ready(tile);
    window.ready(step);
    window.ready(to);
    window.ready(late);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        await_over(late, barrier + s * 8, parity);
        expect(barrier + s * 8, bytes);
        tensor_load(to + s * bytes, map, tile_y(tile + s), tile_x(tile + s), barrier + s * 8);
      }
      parity ^= 1;
      tile += step;
    }
    UNROLL for (u32 s = 0; s < STAGES; ++s) await_over(late, barrier + s * 8, parity);
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}

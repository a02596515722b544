// N trips of STAGES copies of a tile from shared memory to the tensor by one thread of each block, each in its own
// group. STAGES of them are outstanding.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "tensor_copy/tensor.cuh"
#include "tensor_copy/tile.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  constexpr u32 bytes = ROWS * 128;
  extern __shared__ __align__(1024) char buffers[];
  Window window;
  for (u32 at = lane() * 4; at < STAGES * bytes; at += 32 * 4) *reinterpret_cast<volatile u32*>(buffers + at) = 0;
  const u32 from = shared_address(buffers);
  u64 map = tensor_map(args);
  set_up(from, 0);
  if (!elected()) return;
  u32 tile = blockIdx.x * STAGES;
  const u32 step = gridDim.x * STAGES;
  BULK_PASSES {
    map += args.zero;  // carried from pass to pass; otherwise ptxas would compute it inside the window
    window.ready(map);
    window.ready(tile);
    window.ready(step);
    window.ready(from);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        tensor_store(map, tile_y(tile + s), tile_x(tile + s), from + s * bytes);
        bulk_commit();
        BULK_WAIT(STAGES - 1);
      }
      tile += step;
    }
    BULK_WAIT(0);
    window.close();
  }
  window.report(args);
}

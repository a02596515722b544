// N trips of two rounds each: every block of a cluster copies its share of the boxes to all blocks, and waits for the
// data of all. Each of the two rounds has its own barrier, and what arrives at a barrier in the next trip is announced
// before the block sends the other round. A block may be ahead of another by one copy, whose bytes would otherwise
// complete the phase of earlier ones. The boxes differ in each round, launch and cluster. They are the same as in the
// previous pass, which has left them in L2. The clusters run one after another.
#include "bulk_copy/bulk.cuh"
#include "clusters/cluster.cuh"
#include "memory/turn.cuh"
#include "probe.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ u64 words[2];
  Window window;
  const u32 share = static_cast<u32>(args.at) * EACH, rank = cluster_rank();
  const u32 to = shared_address(buffer) + rank * share, bytes = CLUSTER * share;
  u32 barrier = shared_address(words);
  constexpr u32 step = CLUSTER * 264, room = OUTERMOST - 2 * N * step;
  const u32 cluster = blockIdx.x / CLUSTER;
  const u32 at = static_cast<u32>((launch_hash(args) + u64{room} * cluster * CLUSTER / gridDim.x) % room) + rank * 264;
  u64 map = tensor_map(args);
  set_up(barrier, 2);
  if (threadIdx.x == 0) UNROLL for (u32 s = 0; s < 2; ++s) expect(barrier + s * 8, bytes);
  __syncwarp();
  await_turn(args, cluster, args.passes * 2 * N * (2 + bytes / 32768));
  cluster_sync();
  const bool one = elected();
  if (one) {
    u32 late = none_late(args), parity = 0;
    BULK_PASSES {
      const u32 zero = args.zero;
      // Carried from pass to pass; otherwise ptxas would compute them inside the window.
      map += zero;
      barrier += zero;
      window.ready(map);
      window.ready(to);
      window.ready(at);
      window.ready(zero);
      window.ready(late);
      window.ready(parity);
      window.ready(bytes);
      window.ready(barrier);
      window.open();
      _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
        UNROLL for (u32 s = 0; s < 2; ++s) {
          tensor_multicast(to, map, at + (2 * trip + s) * step, zero, barrier + s * 8, (1u << CLUSTER) - 1);
          await_over(late, barrier + s * 8, parity);
          expect(barrier + s * 8, bytes);
        }
        parity ^= 1;
      }
      window.wait(late);
      window.close();
    }
    count_fact(args, 0, late);
    window.report(args);
  }
  __syncwarp();
  cluster_sync();  // no block exits while another copies into it
}

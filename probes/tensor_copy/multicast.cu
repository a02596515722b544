// N trips of two times: every block of a cluster copies its share of the boxes to all of them, and waits for what comes
// from all. The two times have a barrier of their own each, and what comes to a barrier the next time is announced
// before the block sends the other: a block may be ahead of another by one copy, whose bytes would end the phase of
// those before it. Each time the boxes are others, elsewhere in every launch and cluster, and the same as in the pass
// before, which has left them in L2; the clusters do so one after the other.
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
      // Carried from pass to pass, or ptxas would make them anew inside the window.
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
  cluster_sync();  // none leaves while another copies into it
}

// N times: every block of a cluster announces what all of them send, copies its share of the boxes to all of them, and
// waits for what comes. A block that is a phase ahead only makes the count of a barrier negative for a while. Each time
// the boxes are others, elsewhere in every launch and cluster, and the same as in the pass before, which
// has left them in L2; the clusters do so one after the other.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "clusters/cluster.cuh"
#include "memory/turn.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ u64 word;
  Window window;
  const u32 share = static_cast<u32>(args.at) * EACH, rank = cluster_rank();
  const u32 to = shared_address(buffer) + rank * share, barrier = shared_address(&word), bytes = CLUSTER * share;
  constexpr u32 step = CLUSTER * 264, room = OUTERMOST - N * step;
  const u32 cluster = blockIdx.x / CLUSTER;
  const u32 at = static_cast<u32>((launch_hash(args) + u64{room} * cluster * CLUSTER / gridDim.x) % room) + rank * 264;
  u64 map = tensor_map(args);
  set_up(barrier, 1);
  await_turn(args, cluster, args.passes * N * (2 + bytes / 32768));
  cluster_sync();
  const bool one = elected();
  if (one) {
    u32 late = none_late(args);
    BULK_PASSES {
      const u32 zero = args.zero;
      map += zero;  // carried from pass to pass, or ptxas would make it anew inside the window
      window.ready(map);
      window.ready(to);
      window.ready(at);
      window.ready(zero);
      window.ready(late);
      window.ready(bytes);
      window.open();
      UNROLL for (int i = 0; i < N; ++i) {
        expect(barrier, bytes);
        tensor_multicast(to, map, at + i * step, zero, barrier, (1u << CLUSTER) - 1);
        await(late, barrier, i & 1);
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

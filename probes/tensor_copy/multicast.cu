// N times: every block of a cluster announces what all of them send, copies its share of the boxes to all of them, and
// waits for what comes. A block that is a phase ahead only makes the count of a barrier negative for a while.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "clusters/cluster.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ u64 word;
  Window window;
  const u32 share = static_cast<u32>(args.at) * EACH, rank = cluster_rank();
  const u32 to = shared_address(buffer) + rank * share, barrier = shared_address(&word), bytes = CLUSTER * share;
  const u32 at = rank * 256;
  const u64 map = tensor_map(args);
  set_up(barrier, 1);
  cluster_sync();
  const bool one = elected();
  if (one) {
    u32 late = none_late(args);
    BULK_PASSES {
      const u32 zero = args.zero;
      window.ready(to);
      window.ready(at);
      window.ready(zero);
      window.ready(late);
      window.ready(bytes);
      window.open();
      UNROLL for (int i = 0; i < N; ++i) {
        expect(barrier, bytes);
        tensor_multicast(to, map, at, zero, barrier, (1u << CLUSTER) - 1);
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

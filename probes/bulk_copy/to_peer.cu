// N times args.at bytes from shared memory to that of the other block of a cluster, which waits and copies as many
// back. Block 1 receives the first copy before its window, and sends the last one after it. A block announces the bytes
// that it expects before it sends the copy to which they are the reply. A block cannot be its own peer: an H200 faults
// on a copy to the block's own shared memory.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "clusters/cluster.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 word;
  Window window;
  const u32 bytes = static_cast<u32>(args.at);
  const u32 from = shared_address(buffers), barrier = shared_address(&word);
  const u32 rank = cluster_rank();
  const u32 to = map_rank(from + bytes, rank ^ 1), there = map_rank(barrier, rank ^ 1);
  u32 late = none_late(args), parity = 0;
  set_up(barrier, 1);
  if (threadIdx.x == 0) expect(barrier, bytes);
  __syncwarp();
  cluster_sync();
  const bool one = elected();
  if (one) {
    BULK_PASSES {
      if (rank == 1) {
        await_over(late, barrier, parity);
        expect(barrier, bytes);
        parity ^= 1;
      }
      window.ready(from);
      window.ready(to);
      window.ready(there);
      window.ready(late);
      window.ready(parity);
      window.ready(bytes);
      window.open();
      _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
        bulk_to_cluster(to, from, bytes, there);
        await_over(late, barrier, parity);
        expect(barrier, bytes);
        parity ^= 1;
      }
      window.wait(late);
      window.close();
      bulk_to_cluster(to, from, bytes, there);
      if (rank == 0) {
        await_over(late, barrier, parity);
        expect(barrier, bytes);
        parity ^= 1;
      }
    }
    count_fact(args, 0, late);
    window.report(args);
  }
  __syncwarp();
  cluster_sync();  // no block exits while the other copies into it
}

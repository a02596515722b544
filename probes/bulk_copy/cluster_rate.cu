// N trips of STAGES copies of BYTES from shared memory to that of the next block of a cluster of CLUSTER, by one thread
// of every block. A block sends into a buffer again only when it has received as many bytes from the previous block and
// the next block has said that it expects more. Otherwise bytes of two phases could complete the first phase of a
// barrier. Nothing reads the data.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "clusters/cluster.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 full[STAGES], empty[STAGES];
  Window window;
  const u32 rank = cluster_rank(), next = (rank + 1) % CLUSTER, last = (rank + CLUSTER - 1) % CLUSTER;
  const u32 from = shared_address(buffers), arrived = shared_address(full), announced = shared_address(empty);
  const u32 to = map_rank(from + STAGES * BYTES, next), there = map_rank(arrived, next),
            back = map_rank(announced, last);
  set_up(arrived, STAGES);
  set_up(announced, STAGES);
  if (threadIdx.x == 0) UNROLL for (u32 s = 0; s < STAGES; ++s) expect(arrived + s * 8, BYTES);
  __syncwarp();
  cluster_sync();
  const bool one = elected();
  if (one) {
    u32 parity = 0, late = none_late(args);
    UNROLL for (u32 s = 0; s < STAGES; ++s) bulk_to_cluster(to + s * BYTES, from + s * BYTES, BYTES, there + s * 8);
    BULK_PASSES {
      window.ready(from);
      window.ready(to);
      window.ready(there);
      window.ready(back);
      window.ready(late);
      window.ready(parity);
      window.open();
      _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
        UNROLL for (u32 s = 0; s < STAGES; ++s) {
          await_over(late, arrived + s * 8, parity);
          expect(arrived + s * 8, BYTES);
          asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(back + s * 8) : "memory");
          await_over(late, announced + s * 8, parity);
          bulk_to_cluster(to + s * BYTES, from + s * BYTES, BYTES, there + s * 8);
        }
        parity ^= 1;
      }
      window.wait(late);
      window.close();
    }
    UNROLL for (u32 s = 0; s < STAGES; ++s) await_over(late, arrived + s * 8, parity);
    count_fact(args, 0, late);
    window.report(args);
  }
  __syncwarp();
  cluster_sync();  // no block exits while another copies into it
}

// A cluster's blocks pass tiles on: mbarriers, a bulk copy, distributed shared memory, and fences.
#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2) pipeline(const float4* in, float4* out, int n) {
  __shared__ alignas(128) float4 tile[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(tile, in + i * 128, cuda::aligned_size_t<16>(sizeof(tile)), ready);
      token = cuda::device::barrier_arrive_tx(ready, 1, sizeof(tile));
    } else {
      token = ready.arrive();
    }
    ready.wait(std::move(token));
    cluster.sync();
    const float4* theirs = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[i * 128 + threadIdx.x] = theirs[threadIdx.x];
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i * 128 + 128));
    __threadfence_block();
    cluster.sync();
  }
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// A sum over a grid: cooperative groups, shuffles, a ballot, an atomic at the end.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void reduction(const float* in, float* out, int* flags, int n) {
  __shared__ float partial[32];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = cg::reduce(warp, sum, cg::plus<float>());
  const int votes = __reduce_add_sync(0xffffffff, static_cast<int>(sum > 1.0f));
  if (__any_sync(0xffffffff, sum > 2.0f)) flags[0] = __popc(__ballot_sync(0xffffffff, sum > 3.0f)) + votes;
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    sum = warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (warp.thread_rank() == 0) atomicAdd(out, sum);
  }
  const cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(flags + 1, static_cast<int>(active.size()));
  __threadfence();
  cg::this_grid().sync();
  flags[2] = __match_any_sync(0xffffffff, flags[3]);
}

// Headers of the CUDA Toolkit and of libcu++, each in use.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cuda/barrier>

namespace cg = cooperative_groups;

extern "C" __global__ void reduce(const __nv_bfloat16* in, float* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = __bfloat162float(in[threadIdx.x]);
  for (int step = 16; step > 0; step /= 2) sum += warp.shfl_down(sum, step);
  if (warp.thread_rank() == 0) out[warp.meta_group_rank()] = sum;
}

extern "C" __global__ void multiply(const __half* a, const __half* b, float* d) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void wait_for_all(int* p, __nv_fp8_e4m3* q) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  barrier.arrive_and_wait();
  __pipeline_commit();
  q[threadIdx.x] = __nv_fp8_e4m3(static_cast<float>(p[threadIdx.x]));
}

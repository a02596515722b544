// What cuda::memcpy_async becomes. Each thread copies one vector to shared memory, or its bytes.
#include <cooperative_groups.h>

#include <cuda/pipeline>

#define KERNEL extern "C" __global__ void

constexpr int threads = 128;

KERNEL cp_async(const uint4* __restrict__ in, uint4* __restrict__ out) {
  __shared__ uint4 tile[threads];
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}

template <class Copy>
__device__ void by_thread(uint4* __restrict__ out, Copy copy) {
  __shared__ uint4 tile[threads];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  copy(tile + threadIdx.x, pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  out[threadIdx.x] = tile[threadIdx.x];
}

KERNEL vectors(const uint4* __restrict__ in, uint4* __restrict__ out) {
  by_thread(out, [&](uint4* to, auto& pipe) {
    cuda::memcpy_async(to, in + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
  });
}

KERNEL bytes(const char* __restrict__ in, uint4* __restrict__ out) {
  by_thread(out, [&](uint4* to, auto& pipe) {
    cuda::memcpy_async(reinterpret_cast<char*>(to), in + threadIdx.x * 16, 16, pipe);
  });
}

KERNEL by_block(const uint4* __restrict__ in, uint4* __restrict__ out) {
  __shared__ uint4 tile[threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  pipe.producer_acquire();
  cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[threadIdx.x] = tile[threadIdx.x];
  pipe.consumer_release();
}

#pragma once

// How a thread brings its words of a tile of shared memory to one of STAGES buffers, all but one of them ahead: BY
// cp.async (the default) or by cuda::memcpy_async; without STAGES, by plain loads and stores.
//   begin     waits for a free buffer
//   start     copies this thread's words of a tile
//   commit    ends the copies of a tile
//   wait      for the oldest tile, of all threads of the block
//   release   lets a next tile be written over it

#include "cases.cuh"

#if BY_memcpy_async || BY_unaligned
#include <cuda/pipeline>
#endif

#ifndef VECTORS
#define VECTORS 4
#endif
constexpr u32 threads = 128, vectors = VECTORS, tile = threads * vectors;
constexpr int buffers = STAGES > 0 ? STAGES : 1, ahead = buffers - 1;

#define EACH_VECTOR UNROLL for (u32 k = 0; k < tile; k += threads)

#if STAGES == 0
struct Copies {
  __device__ void begin() {}
  __device__ void start(uint4* to, const uint4* from) {
    uint4 v[vectors];
    EACH_VECTOR v[k / threads] = from[k];
    EACH_VECTOR to[k] = v[k / threads];
  }
  __device__ void commit() {}
  __device__ void wait() { __syncthreads(); }
  __device__ void release() { __syncthreads(); }
  __device__ void end() {}
};
#elif BY_memcpy_async || BY_unaligned
struct Copies {
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();

  __device__ void begin() { pipe.producer_acquire(); }
  __device__ void start(uint4* to, const uint4* from) {
#if BY_unaligned
    // A number of bytes says nothing of the alignment.
    EACH_VECTOR cuda::memcpy_async(reinterpret_cast<char*>(to + k), reinterpret_cast<const char*>(from + k), 16, pipe);
#else
    EACH_VECTOR cuda::memcpy_async(to + k, from + k, cuda::aligned_size_t<16>(16), pipe);
#endif
  }
  __device__ void commit() { pipe.producer_commit(); }
  __device__ void wait() {
    cuda::pipeline_consumer_wait_prior<ahead>(pipe);
    __syncthreads();
  }
  __device__ void release() { __syncthreads(); }
  __device__ void end() { cuda::pipeline_consumer_wait_prior<0>(pipe); }
};
#else
struct Copies {
  __device__ void begin() {}
  __device__ void start(uint4* to, const uint4* from) {
    EACH_VECTOR asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + k)), "l"(from + k)
                             : "memory");
  }
  __device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  __device__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(ahead) : "memory");
    __syncthreads();
  }
  __device__ void release() { __syncthreads(); }
  __device__ void end() { asm volatile("cp.async.wait_all;" ::: "memory"); }
};
#endif

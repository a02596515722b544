// The vocabulary of every probe. A probe is one `PROBE { ... }`; the harness compiles it once per case and repeat
// count, with N (the repeat count) and one macro per sweep parameter defined: `bytes: 16` is BYTES == 16, and
// `mode: bfly` is MODE == "bfly" together with MODE_bfly == 1. README.md is the contract on one page.
#pragma once

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

// CUtensorMap.
struct alignas(64) TensorMap {
  u64 words[16];
};

// The layout must match harness/gpu/job/args.hpp byte for byte.
struct Args {
  u64* clocks;       // [block][warp][2]: opening and closing %clock64
  char* data;        // the config's `data:` buffer
  u64 data_bytes;
  u32* facts;        // 16 words, zeroed before each launch; see fact()
  u32* sink;         // 4 KiB, keeps results alive
  u32 passes;        // passes through the window; the last one is recorded
  u32 zero;          // 0, but the compiler cannot know that
  u64 at;            // position on the curve of the config's `along:`; 0 without one
  u64 texture;       // the config's `texture:`, over data
  u32* places;       // for the config's `places:`, one word per place, zeroed before the first of a batch of launches
  TensorMap tensor;  // the config's `tensor:`, over data; instructions take its address
};

#define PROBE extern "C" __global__ void KERNEL(const __grid_constant__ Args args)

// One pass through the window warms the instruction cache, the next is measured. The loop counter depends on the
// closing clock read; otherwise ptxas would schedule the loop's arithmetic into the window (seen on sm_80).
#define PASSES _Pragma("unroll 1") for (u32 pass = 0; pass < args.passes; pass = window.next(pass, args.zero))

#define UNROLL _Pragma("unroll")

// The window of a chase: N dependent loads by the probe's HOP, which replaces an address by the one it loads. The hop
// before it is not timed: a value carried from pass to pass would be moved between registers inside the window.
#define TIMED_HOPS(p)                           \
  do {                                          \
    HOP(p);                                     \
    window.ready(p);                            \
    window.open();                              \
    UNROLL for (int i = 0; i < N; ++i) HOP(p);  \
    window.wait(p);                             \
    window.close();                             \
  } while (false)

__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }
__device__ __forceinline__ u32 warp() { return threadIdx.x >> 5; }

// Word i of this thread's input. It varies by lane and is not known to the compiler.
__device__ __forceinline__ u32 input(const Args& args, u32 i) {
  return reinterpret_cast<const volatile u32*>(args.data)[i * blockDim.x + threadIdx.x];
}

__device__ __forceinline__ u32 shared_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

// Reports the n-th value named in the config's `facts:`.
__device__ __forceinline__ void fact(const Args& args, u32 n, u32 value) { args.facts[n] = value; }
__device__ __forceinline__ void count_fact(const Args& args, u32 n, u32 value) { atomicAdd(args.facts + n, value); }

// A large number that differs between launches, because every launch has its own place for clock readings. The L2 slice
// of a line, and so its distance, depends on memory that the driver chooses anew in each process. If launches begin at
// different places, a number covers many lines.
__device__ __forceinline__ u64 launch_hash(const Args& args) {
  return reinterpret_cast<u64>(args.clocks) / 16 * 0x9e3779b97f4a7c15u >> 24;
}

__device__ __forceinline__ u32 sm() {
  u32 id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// Reads a value by an operation that ptxas cannot merge with the instruction that produced it.
__device__ __forceinline__ void hold(float& sum, u32 v) {
  asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(sum) : "f"(__uint_as_float(v)) : "memory");
}
__device__ __forceinline__ void hold(float& sum, u64 v) { hold(sum, static_cast<u32>(v >> 32)); hold(sum, static_cast<u32>(v)); }

// The two clock reads of a warp and the values for which they wait. ready() and wait() make an instruction read their
// argument, so that no later clock read can issue before the argument has arrived (issue is in order). They use
// different operations; otherwise ptxas would merge the one before the window with the one inside it.
struct Window {
  u64 opened = 0, closed = 0;
  u32 guard = threadIdx.x;

  // Before open(): everything the window reads.
  __device__ __forceinline__ void ready(u32 v) { asm volatile("add.u32 %0, %0, %1;" : "+r"(guard) : "r"(v) : "memory"); }
  // Before close(): every last result.
  __device__ __forceinline__ void wait(u32 v) { asm volatile("xor.b32 %0, %0, %1;" : "+r"(guard) : "r"(v) : "memory"); }

  __device__ __forceinline__ void ready(float v) { ready(__float_as_uint(v)); }
  __device__ __forceinline__ void ready(u64 v) { ready(static_cast<u32>(v >> 32)); ready(static_cast<u32>(v)); }
  __device__ __forceinline__ void ready(double v) { ready(static_cast<u64>(__double_as_longlong(v))); }
  __device__ __forceinline__ void wait(float v) { wait(__float_as_uint(v)); }
  __device__ __forceinline__ void wait(u64 v) { wait(static_cast<u32>(v >> 32)); wait(static_cast<u32>(v)); }
  __device__ __forceinline__ void wait(double v) { wait(static_cast<u64>(__double_as_longlong(v))); }
  template <class T, int size>
  __device__ __forceinline__ void ready(const T (&values)[size]) {
    UNROLL for (int i = 0; i < size; ++i) ready(values[i]);
  }
  template <class T, int size>
  __device__ __forceinline__ void wait(const T (&values)[size]) {
    UNROLL for (int i = 0; i < size; ++i) wait(values[i]);
  }

  __device__ __forceinline__ void open() { asm volatile("mov.u64 %0, %%clock64;" : "=l"(opened)::"memory"); }
  __device__ __forceinline__ void close() { asm volatile("mov.u64 %0, %%clock64;" : "=l"(closed)::"memory"); }

  __device__ __forceinline__ u32 next(u32 pass, u32 zero) const {
    return pass + 1 + (static_cast<u32>(closed) & zero);
  }

  // Called once, after the last pass. Both readings are stored completely. If only their difference were stored, ptxas
  // could move one of them to the uniform datapath, with another opcode (seen on sm_120).
  __device__ __forceinline__ void report(const Args& args) const { report_at(args, blockIdx.x); }

  // The same for `places: clocks`: under a place's number below gridDim.x, such as sm(), instead of the block's.
  __device__ __forceinline__ void report_at(const Args& args, u32 place) const {
    const u64 w = (u64{place} * (blockDim.x >> 5) + warp()) * 2;
    args.clocks[w] = opened;
    args.clocks[w + 1] = closed;
    if (guard == args.zero + 0x9e3779b9u) args.sink[threadIdx.x] = guard;
  }
};

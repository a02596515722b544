// N dependent loads, past L1, by the first SM, of lines that the other SMs have just written in the same launch. Then
// each of the others reads what its neighbour wrote.
#include "probe.cuh"
#include "policy/ring.cuh"
#include "policy/handoff.cuh"

constexpr u32 few = 1024;  // lines in the passes that warm the window's code

// The writing and the reading; gathers keep them in step with the chase.
__device__ __forceinline__ void surround(const Args& args, Window& window, Gather& gather) {
  for (u32 pass = 0; pass < args.passes; ++pass) {
    write_ring(args, pass + 1 == args.passes ? all_lines : few);
    gather.wait(args);
    gather.wait(args);
  }
  read_ring(args, window);
}

PROBE {
  Window window;
  Gather gather;
  if (blockIdx.x != 0) {
    surround(args, window, gather);
    if (threadIdx.x == 0) count_fact(args, 0, gather.late);
    window.report(args);
    return;
  }
  if (warp() != 0) return;
  // Reads a word of every 2 MiB before it is written, to warm the address translation, which is not part of the
  // question.
  for (u32 at = lane() << 21; at < MIB << 20; at += 32 << 21) {
    u32 v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(args.data + at) : "memory");
    window.ready(v);
  }
  PASSES {
    gather.wait(args);
    u64 p = first_line(args, pass + 1 == args.passes ? all_lines : few);
    HOP(p);
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) HOP(p);
    window.wait(p);
    window.close();
    gather.wait(args);
  }
  if (threadIdx.x == 0) count_fact(args, 0, gather.late);
  window.report(args);
}

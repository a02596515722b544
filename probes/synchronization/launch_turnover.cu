// How long after a block has ended another one begins on its SM: the window is all that a block does, from its first
// instruction to the barrier behind its chain of shuffles, so that what follows it is a store and the end. Blocks have
// chains of different lengths, so that they end one at a time. Each block stores its clock readings and its SM, and the
// last block of the grid waits for all of these. Of an SM, every end but the last ones lets a block begin, every
// beginning but the first ones follows an end: fact 0 is the sum of such beginnings less that of such ends, by their
// number. Fact 1: how many there are.
#include "probe.cuh"

struct Block {
  u32 opened, closed, sm, stored;
};

PROBE {
  Window window;
  window.open();
  u32 thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));  // threadIdx.x would be read before the window
  u32 v = thread;
  Block* const all = reinterpret_cast<Block*>(args.data);
  Block* const mine = all + blockIdx.x;
  const u32 on = sm();
  u32 last;  // of the grid; known in the window, so that the block ends right behind it
  asm volatile("{.reg .pred p;\n setp.eq.u32 p, %1, %2;\n selp.u32 %0, 1, 0, p;}" : "=r"(last) : "r"(blockIdx.x + 1), "r"(gridDim.x));
  const u32 trips = N + (blockIdx.x * 0x9e3779b9u >> 27);
  _Pragma("unroll 1") for (u32 trip = 0; trip < trips; ++trip) {
    UNROLL for (int i = 0; i < 16; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(v));
  }
  const u32 none = __syncthreads_and(v == ~0u);  // no lane has this number
  window.close();
  if (thread == 0) {
    // One store, so that whoever sees one word sees all.
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(mine), "r"(static_cast<u32>(window.opened)),
                 "r"(static_cast<u32>(window.closed)), "r"(on), "r"(1 + none)
                 : "memory");
  }
  if (last == 0) return;
  window.report(args);
  for (u32 i = thread; i < gridDim.x; i += blockDim.x) {
    const volatile u32* const stored = &all[i].stored;
    for (u32 tries = 0; *stored == 0 && tries < 1000000; ++tries) {}
  }
  __syncthreads();
  for (u32 i = thread; i < gridDim.x; i += blockDim.x) {
    bool follows = false, followed = false;
    u32 begun_last = all[i].opened, ended_first = all[i].closed;
    for (u32 k = 0; k < gridDim.x; ++k) {
      if (all[k].sm != all[i].sm) continue;
      follows |= static_cast<int>(all[i].opened - all[k].closed) >= 0;
      followed |= static_cast<int>(all[k].opened - all[i].closed) >= 0;
      if (static_cast<int>(all[k].opened - begun_last) > 0) begun_last = all[k].opened;
      if (static_cast<int>(all[k].closed - ended_first) < 0) ended_first = all[k].closed;
    }
    // As many ends as beginnings of each SM: what its clock began with drops out. An SM for whose last places the grid
    // had no block has more ends, and is left out.
    int more = 0;
    for (u32 k = 0; k < gridDim.x; ++k) {
      if (all[k].sm != all[i].sm) continue;
      more += static_cast<int>(all[k].opened - ended_first) < 0;
      more -= static_cast<int>(all[k].closed - begun_last) > 0;
    }
    if (more != 0) continue;
    if (follows) atomicAdd(args.facts + 8, all[i].opened), atomicAdd(args.facts + 1, 1);
    if (followed) atomicSub(args.facts + 8, all[i].closed);
  }
  __syncthreads();
  for (u32 i = thread; i < gridDim.x; i += blockDim.x) all[i].stored = 0;
  if (thread != 0) return;
  const u32 number = atomicAdd(args.facts + 1, 0);
  fact(args, 0, number == 0 ? 0 : atomicAdd(args.facts + 8, 0) / number);
}

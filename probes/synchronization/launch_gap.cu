// How long an SM waits between two launches: every block leaves its last clock reading in the data, at the place of its
// SM. The next launch subtracts it from its own first reading. The facts are those of the first block.
#include "probe.cuh"

struct Left {
  u64 closed, launch;  // 0 before the first launch
  u32 shortest, gaps;  // in the launches so far
};

PROBE {
  Window window;
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  volatile Left* const left = reinterpret_cast<Left*>(args.data + 65536) + sm;
  const u64 launch = reinterpret_cast<u64>(args.clocks);  // each launch has its own readings
#ifdef BY_dependent
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  // Waits for the registers that a load needs besides its address. A guard (the data are zeros) keeps this wait before
  // the next instruction; after it, the wait would be a part of the gap.
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p exit; }" ::"r"(input(args, 0)) : "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");  // then the writes of the launch before are visible
#endif
  u64 closed, before;
  u32 shortest, gaps;
  PASSES {
    window.ready(reinterpret_cast<u64>(left));
    window.open();
    closed = left->closed, before = left->launch, shortest = left->shortest, gaps = left->gaps;
    window.wait(closed);
    window.wait(before);
    window.wait(shortest);
    window.wait(gaps);
    window.close();
  }
  if (threadIdx.x != 0) return;
  left->closed = window.closed;
  left->launch = launch;
  const u64 gap = window.opened - closed;
  const bool counts = before != 0 && before != launch && gap < 0xffffffffu;
  if (counts && (gaps == 0 || gap < shortest)) shortest = static_cast<u32>(gap);
  left->shortest = shortest;
  left->gaps = gaps + counts;
  window.report(args);
  if (blockIdx.x != 0) return;
  fact(args, 0, shortest);
  fact(args, 1, gaps + counts);
}

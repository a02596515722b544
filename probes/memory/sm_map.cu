// One load, past L1, of the same line by one block on every SM after the other: which line args.at says. The pass before
// the recorded one has brought it into L2. The blocks wait before their turn by FFMAs, which disturb no memory.
#include "probe.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  const float a = __uint_as_float(input(args, 0)), b = __uint_as_float(input(args, 1));
  const u64 lines = args.data_bytes / 128;
  const char* p = args.data + args.at * 0x9e3779b1u % lines * 128 + (input(args, 2) & args.zero);
  float delay = a;
  if (lane() != 0) return;
  PASSES {
    u32 v;
    meet(args, pass);
    _Pragma("unroll 1") for (u32 turn = 0; turn < blockIdx.x; ++turn)
      UNROLL for (int i = 0; i < 256; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(delay) : "f"(a), "f"(b));
    window.ready(delay);
    window.ready(reinterpret_cast<u64>(p));
    window.open();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    window.wait(v);
    window.close();
    // The address outlives the window, or the load would overwrite it and so wait for the access before it.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report_at(args, sm());
}

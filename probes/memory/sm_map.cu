// One load, past L1, of the line selected by args.at, by one block on every SM in turn. The pass before the recorded
// one has brought the line into L2. The blocks wait for their turn with FFMAs, which do not disturb memory.
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
    // Keeps the address alive: a load that overwrote it would wait for the previous access to its register.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report_at(args, sm());
}

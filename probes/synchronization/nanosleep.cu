// One nanosleep of args.at nanoseconds.
#include "probe.cuh"

PROBE {
  Window window;
  const u32 t = static_cast<u32>(args.at) + (input(args, 0) & args.zero);
  PASSES {
    window.ready(t);
    window.open();
    asm volatile("nanosleep.u32 %0;" ::"r"(t));
    window.close();
  }
  window.report(args);
}

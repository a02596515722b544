// One elect.sync of all lanes, and an addition by the lane that it chose. (ptxas merges several.)
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.open();
    asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\t@p add.u32 %0, %0, 1;\n\t}" : "+r"(v));
    window.wait(v);
    window.close();
  }
  window.report(args);
}

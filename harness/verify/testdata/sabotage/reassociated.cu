// A sum written as a chain of additions: the compiler may add in any order, and takes two addends at a time.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0), addends[N];
  PASSES {
    UNROLL for (int i = 0; i < N; ++i) addends[i] = input(args, i + 1);
    window.ready(v);
    window.ready(addends);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) v += addends[i];
    window.wait(v);
    window.close();
  }
  window.report(args);
}

// Passes whose number may differ between lanes, as far as the compiler knows. Otherwise ptxas would read one of the two
// clocks into a uniform register for sm_120, but not the other.
#undef LANE_PASSES
#define LANE_PASSES                                         \
  const u32 lane_zero = input(args, 3) & args.zero;         \
  _Pragma("unroll 1") for (u32 pass = 0; pass < args.passes; pass = window.next(pass, lane_zero))

// Passes whose number may differ from lane to lane, as far as the compiler knows. For sm_120 ptxas would otherwise read
// one of the two clocks into a uniform register and the other not.
#undef LANE_PASSES
#define LANE_PASSES                                         \
  const u32 lane_zero = input(args, 3) & args.zero;         \
  _Pragma("unroll 1") for (u32 pass = 0; pass < args.passes; pass = window.next(pass, lane_zero))

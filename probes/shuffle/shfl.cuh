// One shfl.sync of the sweep's mode, its lane operand in a register or constant.
#undef SHFL_CLAMP
#undef SHFL_LANE
#undef SHFL

#ifdef MODE_up
#define SHFL_CLAMP "0"  // PTX ISA, shfl.sync: `up` clamps from below
#else
#define SHFL_CLAMP "31"
#endif

#ifdef MODE_idx
#define SHFL_LANE ((lane() ^ 1) + args.zero)
#else
#define SHFL_LANE (1 + args.zero)
#endif

#ifdef LANE_constant
#define SHFL(v, b) asm volatile("shfl.sync." MODE ".b32 %0, %0, 1, " SHFL_CLAMP ", 0xffffffff;" : "+r"(v))
#else
#define SHFL(v, b) asm volatile("shfl.sync." MODE ".b32 %0, %0, %1, " SHFL_CLAMP ", 0xffffffff;" : "+r"(v) : "r"(b))
#endif

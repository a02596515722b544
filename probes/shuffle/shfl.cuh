// One shfl.sync of the sweep's mode. The lane operand is a register: with a constant one, repeated `idx` shuffles are
// idempotent and ptxas keeps only the first.
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

#define SHFL(v, b) asm volatile("shfl.sync." MODE ".b32 %0, %0, %1, " SHFL_CLAMP ", 0xffffffff;" : "+r"(v) : "r"(b))

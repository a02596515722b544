#include "probe.cuh"

namespace c0_n16_ns {
#define KERNEL c0_n16
#define N 16
#define MODE "bfly"
#define MODE_bfly 1
#define WARPS 2
#include "shuffle/latency.cu"
#undef KERNEL
#undef N
#undef MODE
#undef MODE_bfly
#undef WARPS
}

namespace c0_n64_ns {
#define KERNEL c0_n64
#define N 64
#define MODE "bfly"
#define MODE_bfly 1
#define WARPS 2
#include "shuffle/latency.cu"
#undef KERNEL
#undef N
#undef MODE
#undef MODE_bfly
#undef WARPS
}

namespace c1_n4_ns {
#define KERNEL c1_n4
#define N 4
#define WARPS 4
#define HINT "L2::evict_last"
#define HINT_L2_evict_last 1
#define TRANS ".trans"
#define TRANS_trans 1
#define OFFSET (-8)
#include "cache/hint.cu"
#undef KERNEL
#undef N
#undef WARPS
#undef HINT
#undef HINT_L2_evict_last
#undef TRANS
#undef TRANS_trans
#undef OFFSET
}

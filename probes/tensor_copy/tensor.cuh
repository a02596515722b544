// Copies of one box of a tensor of the sweep's DIMS (PTX ISA, "cp.async.bulk.tensor"). The box begins at 0 in every
// dimension except the outermost, where it begins at `at`. With IM2COL in the sweep: by an im2col map, with offsets of
// 0.
#undef TENSOR_PLACE
#undef TENSOR_OFFSETS
#undef TENSOR_MODE

#if DIMS == 1
#define TENSOR_PLACE(map, at, zero) "[" map ", {" at "}]"
#elif DIMS == 2
#define TENSOR_PLACE(map, at, zero) "[" map ", {" zero ", " at "}]"
#elif DIMS == 3
#define TENSOR_PLACE(map, at, zero) "[" map ", {" zero ", " zero ", " at "}]"
#elif DIMS == 4
#define TENSOR_PLACE(map, at, zero) "[" map ", {" zero ", " zero ", " zero ", " at "}]"
#else
#define TENSOR_PLACE(map, at, zero) "[" map ", {" zero ", " zero ", " zero ", " zero ", " at "}]"
#endif

#ifndef IM2COL
#define TENSOR_MODE ".tile"
#define TENSOR_OFFSETS ""
#else
#define TENSOR_MODE ".im2col"
#if DIMS == 3
#define TENSOR_OFFSETS ", {%5}"
#elif DIMS == 4
#define TENSOR_OFFSETS ", {%5, %5}"
#else
#define TENSOR_OFFSETS ", {%5, %5, %5}"
#endif
#endif

#undef TENSOR_STR
#undef TENSOR_STR_
#define TENSOR_STR_(x) #x
#define TENSOR_STR(x) TENSOR_STR_(x)
#undef TENSOR_D
#define TENSOR_D "." TENSOR_STR(DIMS) "d"

__device__ __forceinline__ u64 tensor_map(const Args& args) { return reinterpret_cast<u64>(&args.tensor); }

__device__ __forceinline__ void tensor_load(u32 to, u64 map, u32 at, u32 zero, u32 barrier) {
  asm volatile("cp.async.bulk.tensor" TENSOR_D ".shared::cta.global" TENSOR_MODE
               ".mbarrier::complete_tx::bytes [%0], " TENSOR_PLACE("%1", "%2", "%3") ", [%4]" TENSOR_OFFSETS ";" ::"r"(to),
               "l"(map), "r"(at), "r"(zero), "r"(barrier), "h"(static_cast<u16>(zero))
               : "memory");
}
// To the same address in every block of `mask`; the barrier of each block receives the bytes.
__device__ __forceinline__ void tensor_multicast(u32 to, u64 map, u32 at, u32 zero, u32 barrier, u16 mask) {
  asm volatile("cp.async.bulk.tensor" TENSOR_D ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], " TENSOR_PLACE("%1", "%2", "%3") ", [%4], %5;" ::"r"(to),
               "l"(map), "r"(at), "r"(zero), "r"(barrier), "h"(mask)
               : "memory");
}

#undef TENSOR_TO_GLOBAL
// From shared to global memory: a copy, or, with OP in the sweep, a reduction in the type of the map.
#ifdef OP
#define TENSOR_TO_GLOBAL "cp.reduce.async.bulk.tensor" TENSOR_D ".global.shared::cta." OP ".tile.bulk_group "
#else
#define TENSOR_TO_GLOBAL "cp.async.bulk.tensor" TENSOR_D ".global.shared::cta.tile.bulk_group "
#endif
__device__ __forceinline__ void tensor_store(u64 map, u32 at, u32 zero, u32 from) {
  asm volatile(TENSOR_TO_GLOBAL TENSOR_PLACE("%0", "%1", "%2") ", [%3];" ::"l"(map), "r"(at), "r"(zero), "r"(from)
               : "memory");
}
__device__ __forceinline__ void tensor_prefetch(u64 map, u32 at, u32 zero) {
  asm volatile("cp.async.bulk.prefetch.tensor" TENSOR_D ".L2.global.tile " TENSOR_PLACE("%0", "%1", "%2") ";" ::"l"(map),
               "r"(at), "r"(zero)
               : "memory");
}

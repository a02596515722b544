#pragma once

#include <array>
#include <string_view>

namespace warpclock {

/// PTX of one operation. {d} is a stream: each operation reads the stream that it writes, so that none is dead. {s} is
/// a stream too; {a} and {b} are streams or constants; {t} to {w} are temporaries, {q} is a predicate. {l}, {k}, {j}
/// are the same as {d}, {a}, {b} with 64 bits. {m} are the accumulators of a fragment, {f} are operands of it. {lut},
/// {o} and {lane} are numbers.
struct BlockOperation {
  std::string_view group, text;
};

inline constexpr std::array<std::string_view, 8> block_groups = {"alu",    "fma",    "half",   "xu",
                                                                 "double", "tensor", "shared", "shuffle"};

inline constexpr auto block_operations = std::to_array<BlockOperation>({
    {"alu", "add.s32 {d}, {d}, {a};"},
    {"alu", "lop3.b32 {d}, {d}, {a}, {b}, {lut};"},
    {"alu", "shf.l.wrap.b32 {d}, {d}, {a}, {b};"},
    {"alu", "prmt.b32 {d}, {d}, {a}, {b};"},
    {"alu", "setp.lt.s32 {q}, {d}, {a}; selp.b32 {d}, {b}, {d}, {q};"},
    {"alu", "min.s32 {d}, {d}, {a};"},
    {"alu", "max.f32 {d}, {d}, {a};"},
    {"fma", "fma.rn.f32 {d}, {d}, {a}, {b};"},
    {"fma", "fma.rn.f32 {d}, {s}, {a}, {d};"},
    {"fma", "add.rn.f32 {d}, {d}, {a};"},
    {"fma", "mul.rn.f32 {d}, {d}, {a};"},
    {"fma", "mad.lo.s32 {d}, {d}, {a}, {b};"},
    {"fma", "mad.wide.u32 {l}, {s}, {a}, {l};"},
    {"half", "fma.rn.f16x2 {d}, {d}, {a}, {b};"},
    {"half", "fma.rn.f16x2 {d}, {s}, {a}, {d};"},
    {"half", "fma.rn.bf16x2 {d}, {d}, {a}, {b};"},
    {"half", "add.rn.f16x2 {d}, {d}, {a};"},
    {"half", "mul.rn.f16x2 {d}, {d}, {a};"},
    {"xu", "ex2.approx.ftz.f32 {d}, {d};"},
    {"xu", "lg2.approx.ftz.f32 {d}, {d};"},
    {"xu", "rcp.approx.ftz.f32 {d}, {d};"},
    {"xu", "rsqrt.approx.ftz.f32 {d}, {d};"},
    {"xu", "tanh.approx.f32 {d}, {d};"},
    {"xu", "popc.b32 {t}, {d}; add.s32 {d}, {d}, {t};"},
    {"xu", "bfind.u32 {t}, {d}; add.s32 {d}, {d}, {t};"},
    {"xu", "cvt.rzi.s32.f32 {d}, {d};"},
    {"xu", "cvt.rn.f32.s32 {d}, {d};"},
    {"double", "fma.rn.f64 {l}, {l}, {k}, {j};"},
    {"double", "fma.rn.f64 {l}, {k}, {j}, {l};"},
    {"double", "add.rn.f64 {l}, {l}, {k};"},
    {"double", "mul.rn.f64 {l}, {l}, {k};"},
    {"tensor", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {m}, {f4}, {f2}, {m};"},
    {"tensor", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {m2}, {f4}, {f2}, {m2};"},
    {"tensor", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {m}, {f4}, {f2}, {m};"},
    {"tensor", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {m}, {f2}, {f1}, {m};"},
    {"tensor", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {m}, {f4}, {f2}, {m};"},
    {"tensor", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {m}, {f4}, {f2}, {m};"},
    {"shared", "ld.volatile.shared.b32 {t}, [%pw+{o}]; add.s32 {d}, {d}, {t};"},
    {"shared", "ld.volatile.shared.v2.b32 {{{t}, {u}}}, [%p8+{o}]; lop3.b32 {d}, {d}, {t}, {u}, {lut};"},
    {"shared",
     "ld.volatile.shared.v4.b32 {{{t}, {u}, {v}, {w}}}, [%p16+{o}]; lop3.b32 {d}, {d}, {t}, {u}, {lut}; "
     "lop3.b32 {d}, {d}, {v}, {w}, {lut};"},
    {"shared", "st.volatile.shared.b32 [%pw+{o}], {d};"},
    {"shared", "st.volatile.shared.v2.b32 [%p8+{o}], {{{d}, {s}}};"},
    {"shared",
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{t}, {u}, {v}, {w}}}, [%p16+{o}]; "
     "lop3.b32 {d}, {d}, {t}, {u}, {lut}; lop3.b32 {d}, {d}, {v}, {w}, {lut};"},
    {"shared",
     "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{{t}, {u}}}, [%p16+{o}]; lop3.b32 {d}, {d}, {t}, {u}, {lut};"},
    {"shared", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{{t}}}, [%p16+{o}]; add.s32 {d}, {d}, {t};"},
    // The address waits for the stream. Nothing but `zero` says that it does not move.
    {"shared",
     "and.b32 {t}, {d}, %zero; add.s32 {t}, {t}, %p4; ld.volatile.shared.b32 {t}, [{t}+{o}]; "
     "add.s32 {d}, {d}, {t};"},
    {"shuffle", "shfl.sync.bfly.b32 {d}, {d}, {lane}, 0x1f, 0xffffffff;"},
    {"shuffle", "shfl.sync.down.b32 {d}, {d}, {lane}, 0x1f, 0xffffffff;"},
    {"shuffle", "shfl.sync.idx.b32 {d}, {d}, {a}, 0x1f, 0xffffffff;"},
});

}  // namespace warpclock

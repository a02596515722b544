#include "check/blocks/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <random>
#include <string_view>

#include "base/text.hpp"
#include "compile/compiler/compiler.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

/// Random choices that are the same on every machine: the distributions of the standard library are not.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t index) {
    constexpr unsigned half = 32;
    std::seed_seq words{seed, seed >> half, index, index >> half};
    engine_.seed(words);
  }

  std::size_t below(std::size_t end) { return engine_() % end; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

  template <class All>
  const auto& pick(const All& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// PTX of one operation. {d} is a stream: each operation reads the stream that it writes, so that none is dead. {s} is
/// a stream too; {a} and {b} are streams or constants; {t} to {w} are temporaries, {q} is a predicate. {l}, {k}, {j}
/// are the same as {d}, {a}, {b} with 64 bits. {m} are the accumulators of a fragment, {f} are operands of it. {lut},
/// {o} and {lane} are numbers.
struct BlockOperation {
  std::string_view group, text;
};

constexpr std::array<std::string_view, 8> block_groups = {"alu",    "fma",    "half",   "xu",
                                                          "double", "tensor", "shared", "shuffle"};

constexpr auto block_operations = std::to_array<BlockOperation>({
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

constexpr std::int64_t most_block_warps = 32, warp_threads = 32;
/// Of warps on an SM: one, one on each sub-partition, and several.
constexpr std::array<std::int64_t, 6> warp_counts = {1, 4, 8, 16, 32, 64};
constexpr std::array<std::int64_t, 8> stream_counts = {1, 1, 2, 2, 3, 4, 6, 8};
constexpr std::array<std::int64_t, 8> way_counts = {1, 1, 1, 1, 1, 2, 4, 8};
/// 64 warps leave 32 registers to each thread.
constexpr std::int64_t few_registers = 64, streams_of_few = 3;
constexpr std::size_t most_groups = 5, groups_of_few = 3;
/// Blocks whose kernels are in one source, so that the compilers start seldom and one error does not lose all.
constexpr std::int64_t blocks_of_source = 20;

std::string module_head(const Arch& arch) {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n", ptx_isa_version(), to_string(arch));
}

KernelCase case_of(const BlockPlan& plan, std::int64_t sms) {
  KernelCase made;
  made.parameters = plan.parameters();
  made.id = id_of(std::string(block_study), made.parameters);
  made.study = block_study;
  made.says = "random mixes of instructions, each repeated by all warps; those with an odd index are held out";
  made.kernel = plan.kernel();
  made.held_out = plan.index % 2 == 1;
  const std::int64_t blocks = plan.all_sms ? sms * plan.blocks_per_sm() : 1;
  made.call.grid = {blocks, 1, 1};
  made.call.block = {plan.threads(), 1, 1};
  made.call.arguments = {{.bytes = blocks * plan.threads() * bytes_of(CallType::U32), .type = CallType::U32},
                         {.type = CallType::U32}};
  made.trips = {{0, plan.trips()}};
  return made;
}

}  // namespace

std::int64_t BlockPlan::blocks_per_sm() const { return (warps + most_block_warps - 1) / most_block_warps; }
std::int64_t BlockPlan::threads() const { return warp_threads * warps / blocks_per_sm(); }

std::int64_t BlockPlan::copies() const {
  constexpr std::int64_t enough = 320;
  return straight ? std::max<std::int64_t>(2, enough / operations) : 1;
}

std::int64_t BlockPlan::trips() const {
  constexpr std::int64_t cycles = 300'000, least = 20, one_warp = 6;
  const std::int64_t trip = operations * copies() * std::max(one_warp, warps / 2);
  return std::max(least, cycles / trip);
}

std::string BlockPlan::kernel() const { return fmt::format("block_{}", index); }

Parameters BlockPlan::parameters() const {
  std::vector<std::string> groups = mix;
  groups.erase(std::ranges::unique(groups).begin(), groups.end());
  return {{"seed", static_cast<std::int64_t>(seed)},
          {"index", index},
          {"form", std::string(straight ? "straight" : "loop")},
          {"warps", warps},
          {"sms", std::string(all_sms ? "all" : "one")},
          {"streams", streams},
          {"operations", operations},
          {"ways", ways},
          {"mix", join(groups, "+")}};
}

BlockPlan plan_block(std::uint64_t seed, std::int64_t index) {
  Dice dice(seed, static_cast<std::uint64_t>(index));
  BlockPlan plan;
  plan.seed = seed, plan.index = index;
  plan.straight = dice.one_in(2);
  plan.warps = dice.pick(warp_counts);
  const bool few = plan.warps == few_registers;
  // A block alone on the GPU says nothing about whether an SM would take a second one.
  plan.all_sms = plan.blocks_per_sm() > 1 || !dice.one_in(4);
  plan.streams = dice.pick(stream_counts);
  if (few) plan.streams = std::min(plan.streams, streams_of_few);
  // As many short blocks as long ones.
  constexpr std::int64_t shortest = 8, lengths = 5, longest = 300;
  const std::int64_t about = shortest << dice.below(lengths);
  plan.operations = std::min(longest, dice.between(about, 2 * about));
  plan.ways = dice.pick(way_counts);
  const std::size_t groups = 1 + dice.below(few ? groups_of_few : most_groups);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::string group(dice.pick(block_groups));
    const std::size_t weight = 1 + dice.below(3);
    plan.mix.insert(plan.mix.end(), weight, group);
  }
  std::ranges::sort(plan.mix);
  return plan;
}

std::vector<KernelCase> block_cases(std::uint64_t seed, std::int64_t count, std::int64_t sms, const Arch& arch) {
  std::vector<KernelCase> cases;
  for (std::int64_t first = 0; first < count; first += blocks_of_source) {
    const std::int64_t end = std::min(count, first + blocks_of_source);
    std::string ptx = module_head(arch);
    for (std::int64_t i = first; i < end; ++i) {
      const BlockPlan plan = plan_block(seed, i);
      ptx += block_ptx(plan);
      cases.push_back(case_of(plan, sms));
      cases.back().source = fmt::format("blocks {} to {} of seed {}", first, end - 1, seed);
    }
    for (std::int64_t i = first; i < end; ++i) cases[static_cast<std::size_t>(i)].ptx = ptx;
  }
  return cases;
}

std::string ptx_alone(const KernelCase& one, const Arch& arch) {
  const auto number = [&](std::string_view name) { return std::get<std::int64_t>(*find(one.parameters, name)); };
  return module_head(arch) + block_ptx(plan_block(static_cast<std::uint64_t>(number("seed")), number("index")));
}

namespace {

constexpr std::int64_t constants = 6, wide_constants = 2, temporaries = 24, most_fragments = 4;
constexpr std::int64_t offset_step = 128, offsets = 8, vector_bytes = 16;
/// Functions of three bits that do not become one of two if they follow each other.
constexpr std::array<int, 8> luts = {0x96, 0xe8, 0xca, 0xd8, 0x6a, 0x1e, 0x2d, 0x78};

class Writer {
 public:
  explicit Writer(const BlockPlan& plan)
      : plan_(plan),
        dice_(plan.seed ^ 0x9e3779b97f4a7c15U, static_cast<std::uint64_t>(plan.index)),
        fragments_(std::min({plan.streams, most_fragments, plan.blocks_per_sm() > 1 ? 1 : most_fragments})) {}

  std::string ptx() {
    begin();
    const std::string one = block();
    for (std::int64_t i = 0; i < plan_.copies(); ++i) {
      text_ += one;
      // The addresses may change with each copy, so no load is left out.
      for (const char* pointer : pointers) line("  add.u32 {0}, {0}, %zero;", pointer);
    }
    end();
    return std::move(text_);
  }

 private:
  static constexpr std::array<const char*, 4> pointers = {"%pw", "%p4", "%p8", "%p16"};

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }

  void begin() {
    line(".visible .entry {}(.param .u64 results, .param .u32 zero)", plan_.kernel());
    line(".maxntid {} .minnctapersm {}", plan_.threads(), plan_.blocks_per_sm());
    line("{{");
    line("  .reg .b32 %d<{}>, %c<{}>, %t<{}>, %f<{}>;", plan_.streams, constants, temporaries, 4 * fragments_);
    line("  .reg .b64 %l<{}>, %k<{}>, %to;", plan_.streams, wide_constants);
    line("  .reg .b32 %id, %zero, %left, %pw, %p4, %p8, %p16;");
    line("  .reg .pred %q<2>;");
    const std::int64_t stride = std::max(vector_bytes, 4 * plan_.ways);
    line("  .shared .align 128 .b8 space_{}[{}];", plan_.index, plan_.threads() * stride + offsets * offset_step);
    line("  mov.u32 %id, %tid.x;");
    line("  ld.param.u32 %zero, [zero];");
    line("  mov.u32 %p4, space_{};", plan_.index);
    line("  mad.lo.u32 %pw, %id, {}, %p4;", 4 * plan_.ways);
    line("  mad.lo.u32 %p8, %id, 8, %p4;");
    line("  mad.lo.u32 %p16, %id, {}, %p4;", vector_bytes);
    line("  mad.lo.u32 %p4, %id, 4, %p4;");
    fill("%d", plan_.streams);
    fill("%c", constants);
    fill("%f", 4 * fragments_);
    for (std::int64_t i = 0; i < plan_.streams; ++i) line("  mov.b64 %l{0}, {{%d{0}, %c{1}}};", i, i % constants);
    for (std::int64_t i = 0; i < wide_constants; ++i) line("  mov.b64 %k{}, {{%c{}, %c{}}};", i, i, i + 1);
    line("  mov.u32 %left, {};", plan_.trips());
    line("again:");
    line("  .pragma \"nounroll\";");
  }

  /// Different values in each lane and register.
  void fill(const char* name, std::int64_t count) {
    constexpr std::int64_t bits = 1 << 30;
    for (std::int64_t i = 0; i < count; ++i)
      line("  mad.lo.u32 {}{}, %id, {}, {};", name, i, 2 * dice_.between(1, bits) + 1, dice_.between(1, bits));
  }

  std::string numbered(const char* name, std::int64_t count) {
    return fmt::format("%{}{}", name, dice_.between(0, count - 1));
  }

  std::string operand(const char* stream, const char* constant, std::int64_t constant_count) {
    return dice_.one_in(2) ? numbered(stream, plan_.streams) : numbered(constant, constant_count);
  }

  std::string temporary() {
    next_ = (next_ + 1) % temporaries;
    return fmt::format("%t{}", next_);
  }

  static std::string braced(const char* name, std::int64_t first, std::int64_t count) {
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(fmt::format("%{}{}", name, first + i));
    return "{" + join(all, ", ") + "}";
  }

  /// Constants, or for four registers another fragment. They are aligned, so that none has to be moved.
  std::string fragment_operand(std::int64_t count) {
    if (count == 4 && dice_.one_in(4)) return braced("f", 4 * dice_.between(0, fragments_ - 1), count);
    return braced("c", count * dice_.between(0, constants / count - 1), count);
  }

  std::string operation(const std::string& group) {
    std::vector<std::string_view> all;
    for (const BlockOperation& one : block_operations) {
      if (one.group == group) all.push_back(one.text);
    }
    const std::string_view text = dice_.pick(all);
    const std::int64_t fragment = 4 * dice_.between(0, fragments_ - 1);
    const std::string stream = numbered("d", plan_.streams), wide = numbered("l", plan_.streams);
    const std::string a = operand("d", "c", constants), b = operand("d", "c", constants);
    const std::string k = operand("l", "k", wide_constants), j = operand("l", "k", wide_constants);
    const std::string f1 = fragment_operand(1), f2 = fragment_operand(2), f4 = fragment_operand(4);
    const std::string s = numbered("d", plan_.streams);
    const std::string t = temporary(), u = temporary(), v = temporary(), w = temporary();
    return fmt::format(fmt::runtime(text), fmt::arg("d", stream), fmt::arg("s", s), fmt::arg("a", a), fmt::arg("b", b),
                       fmt::arg("l", wide), fmt::arg("k", k), fmt::arg("j", j), fmt::arg("t", t), fmt::arg("u", u),
                       fmt::arg("v", v), fmt::arg("w", w), fmt::arg("q", "%q0"), fmt::arg("f1", f1), fmt::arg("f2", f2),
                       fmt::arg("f4", f4), fmt::arg("m", braced("f", fragment, 4)),
                       fmt::arg("m2", braced("f", fragment, 2)), fmt::arg("lut", dice_.pick(luts)),
                       fmt::arg("o", offset_step * dice_.between(0, offsets - 1)),
                       fmt::arg("lane", dice_.between(1, 31)));
  }

  std::string block() {
    std::string text;
    for (std::int64_t i = 0; i < plan_.operations; ++i) text += "  " + operation(dice_.pick(plan_.mix)) + "\n";
    return text;
  }

  /// Every stream is in the result, so nothing is left out.
  void end() {
    line("  sub.u32 %left, %left, 1;");
    line("  setp.ne.u32 %q1, %left, 0;");
    line("  @%q1 bra again;");
    for (std::int64_t i = 0; i < plan_.streams; ++i) {
      if (i > 0) line("  xor.b32 %d0, %d0, %d{};", i);
      line("  mov.b64 {{%t0, %t1}}, %l{};", i);
      line("  lop3.b32 %d0, %d0, %t0, %t1, 0x96;");
    }
    for (std::int64_t i = 0; i < 4 * fragments_; ++i) line("  xor.b32 %d0, %d0, %f{};", i);
    line("  mov.u32 %t0, %ctaid.x;");
    line("  mad.lo.u32 %id, %t0, {}, %id;", plan_.threads());
    line("  ld.param.u64 %to, [results];");
    line("  mad.wide.u32 %to, %id, 4, %to;");
    line("  st.global.b32 [%to], %d0;");
    line("  ret;");
    line("}}\n");
  }

  const BlockPlan& plan_;
  Dice dice_;
  std::int64_t fragments_, next_ = 0;
  std::string text_;
};

}  // namespace

std::string block_ptx(const BlockPlan& plan) { return Writer(plan).ptx(); }

}  // namespace warpclock

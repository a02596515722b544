#include "compose/hole_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "ptx/experiment/frame.hpp"

namespace warpclock {
namespace {

/// The names of four registers in PTX.
using FrameWords = std::array<std::string, hole_layout::components>;

/// A cell of a number of bytes for each thread that holds its own address: one in global memory, where a cell of four
/// bytes holds the lower half, and one in shared memory. The cells of all threads lie one after another, from a
/// multiple of a quad's size on.
struct HoleCell {
  std::string low, high, shared;
};

/// What cells hold instead of their addresses (HoleUse::Operands).
struct CellWords {
  FrameWords global, shared, local;
};

using namespace hole_layout;

FrameWords new_words(Frame& frame) {
  FrameWords words;
  for (std::string& word : words) word = frame.new_word();
  return words;
}

/// "{w_r0, w_r1, w_r2, w_r3}".
std::string vector_of(const FrameWords& words) { return fmt::format("{{{}}}", join(words, ", ")); }

HoleCell put_cell(Frame& frame, std::size_t bytes, std::size_t first, const std::optional<CellWords>& words) {
  const std::string address = frame.new_pair();
  HoleCell cell{frame.new_word(), frame.new_word(), frame.new_word()};
  frame.line("mul.wide.u32 {}, w_thread, {};", address, bytes);
  frame.line("add.s64 {0}, {0}, w_cells;", address);
  frame.line("add.s64 {0}, {0}, {1};", address, first * quad_bytes);
  frame.line("mov.b64 {{{}, {}}}, {};", cell.low, cell.high, address);
  frame.line("mov.u32 {}, w_shared;", cell.shared);
  frame.line("add.u32 {0}, {0}, {1};", cell.shared, first * quad_bytes);
  frame.line("mad.lo.u32 {0}, w_thread, {1}, {0};", cell.shared, bytes);
  for (std::size_t at = 0; at < bytes; at += 4) {
    const std::string& half = at % 8 == 0 ? cell.low : cell.high;
    frame.line("st.volatile.global.u32 [{}+{}], {};", address, at, words ? words->global[at / 4] : half);
    frame.line("st.volatile.shared.u32 [{}+{}], {};", cell.shared, at, words ? words->shared[at / 4] : cell.shared);
  }
  return cell;
}

/// Loads them from where the inputs of quads would be that hold addresses.
CellWords load_cell_words(Frame& frame, const std::string& own) {
  CellWords words{new_words(frame), new_words(frame), new_words(frame)};
  std::size_t quad = number_quads;
  for (const FrameWords* one : {&words.global, &words.shared, &words.local})
    frame.line("ld.volatile.global.v4.u32 {}, [{}+{}];", vector_of(*one), own, quad++ * quad_bytes);
  return words;
}

/// Stores the thread's cells in shared memory (1, 2 and 4 words) and its local memory (from the ninth word on) in the
/// place of the quads that hold addresses.
void store_cells(Frame& frame, const std::string& own) {
  const auto keep = [&](std::size_t quad, std::size_t component, const std::string& word) {
    frame.line("st.volatile.global.u32 [{}+{}], {};", own,
               results_at + (number_quads + quad) * quad_bytes + 4 * component, word);
  };
  std::size_t component = 0;
  for (const std::size_t first : {0, 1, 2}) {
    const std::size_t bytes = std::size_t{4} << first;
    const std::string cell = frame.new_word();
    frame.line("mov.u32 {}, w_shared;", cell);
    frame.line("add.u32 {0}, {0}, {1};", cell, first * quad_bytes);
    frame.line("mad.lo.u32 {0}, w_thread, {1}, {0};", cell, bytes);
    for (std::size_t at = 0; at < bytes; at += 4, ++component) {
      const std::string word = frame.new_word();
      frame.line("ld.volatile.shared.u32 {}, [{}+{}];", word, cell, at);
      keep(component / components, component % components, word);
    }
  }
  // The address from memory: ptxas would otherwise know what was stored there. Local memory is never volatile.
  const std::string local = frame.new_word();
  frame.line("ld.volatile.global.u32 {}, [{}+{}];", local, own, results_at + (number_quads + 2) * quad_bytes + 4);
  for (std::size_t i = 0; i < components; ++i) {
    const std::string word = frame.new_word();
    frame.line("ld.local.u32 {}, [{}+{}];", word, local, 4 * i);
    keep(2, i, word);
  }
}

// The parts of a hole for warp groups.

/// The name of an accumulator's register in PTX.
std::string accumulator(int i) { return fmt::format("w_sum{}", i); }

/// The descriptors w_a and w_b of a matrix A of 64 rows and of a matrix B of up to 256, both with K along rows of 128
/// bytes and swizzled over 128 bytes (PTX ISA, "Matrix descriptor": the address, the leading and the stride distance in
/// units of 16 bytes, the swizzle in bits 62 and 63).
void put_descriptors(Frame& frame) {
  constexpr std::uint64_t swizzle_128 = 1, lead = 1, row_bytes = 128, stride = 8 * row_bytes / 16,
                          a_bytes = 64 * row_bytes;
  frame.line(".reg .b64 w_a, w_b;");
  frame.line(".reg .b32 w_a_low, w_a_high, w_b_low, w_b_high;");
  const std::string address = frame.new_word();
  for (const auto& [name, offset] : {std::pair{"w_a", std::uint64_t{0}}, std::pair{"w_b", a_bytes}}) {
    frame.line("mov.u32 {}, w_shared;", address);
    frame.line("add.u32 {0}, {0}, {1};", address, offset);
    frame.line("shr.u32 {0}, {0}, 4;", address);
    frame.line("cvt.u64.u32 {}, {};", name, address);
    frame.line("or.b64 {0}, {0}, {1};", name, swizzle_128 << 62 | stride << 32 | lead << 16);
    frame.line("mov.b64 {{{0}_low, {0}_high}}, {0};", name);
  }
}

/// A multiply into all accumulators. One before the hole and one after it make ptxas keep them in a row of registers.
void put_multiply(Frame& frame) {
  std::vector<std::string> all_of_them;
  for (int i = 0; i < accumulator_registers; ++i) all_of_them.push_back(accumulator(i));
  frame.line("wgmma.fence.sync.aligned;");
  frame.line("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{{}}}, w_a, w_b, 1, 1, 1, 0, 0;",
             join(all_of_them, ", "));
  frame.line("wgmma.commit_group.sync.aligned;");
  frame.line("wgmma.wait_group.sync.aligned 0;");
}

/// The one after the hole. `descriptors` is the address that they are loaded from.
void put_second_multiply(Frame& frame, const std::string& descriptors) {
  // From memory: ptxas would otherwise move them to uniform registers inside the hole. The shuffles show it that they
  // are the same for all lanes.
  frame.line("ld.volatile.global.v4.u32 {{w_a_low, w_a_high, w_b_low, w_b_high}}, [{}];", descriptors);
  for (const char* half : {"w_a_low", "w_a_high", "w_b_low", "w_b_high"})
    frame.line("shfl.sync.idx.b32 {0}, {0}, 0, 31, 0xffffffff;", half);
  frame.line("mov.b64 w_a, {{w_a_low, w_a_high}};");
  frame.line("mov.b64 w_b, {{w_b_low, w_b_high}};");
  put_multiply(frame);
}

/// Bits to keep and bits to set in words with even and with odd numbers.
struct Mask {
  std::uint32_t keep_even, set_even, keep_odd, set_odd;
};
constexpr std::uint32_t all = 0xffffffff;
// In the order of Values. Numbers from 1 to 2 are such that neither a product nor a sum of a few of them loses its
// inputs. With coarse halves, the upper half of a single-precision sum of products is again a number, and the lower
// half is 0.
constexpr std::array<Mask, 18> masks{{{all, 0, all, 0},
                                      {1, 0, 1, 0},
                                      {0x007fffff, 0x3f800000, 0x007fffff, 0x3f800000},
                                      {0x00400000, 0x3f800000, 0x00400000, 0x3f800000},
                                      {0x007fffff, 0x3f000000, 0x007fffff, 0x3f000000},
                                      {0x807fffff, 0x3f000000, 0x807fffff, 0x3f000000},
                                      {all, 0, 0x000fffff, 0x3ff00000},
                                      {0, 0, 0x00080000, 0x3ff00000},
                                      {all, 0, 0x800fffff, 0x3fe00000},
                                      {0x03ff03ff, 0x3c003c00, 0x03ff03ff, 0x3c003c00},
                                      {0x02000200, 0x3c003c00, 0x02000200, 0x3c003c00},
                                      {0x03ff03ff, 0x38003800, 0x03ff03ff, 0x38003800},
                                      {0x83ff83ff, 0x38003800, 0x83ff83ff, 0x38003800},
                                      {0x007f007f, 0x3f803f80, 0x007f007f, 0x3f803f80},
                                      {0x00400040, 0x3f803f80, 0x00400040, 0x3f803f80},
                                      {0x007f007f, 0x3f003f00, 0x007f007f, 0x3f003f00},
                                      {0x807f807f, 0x3f003f00, 0x807f807f, 0x3f003f00},
                                      {0, all, 0, all}}};

constexpr int most_arrivals = (1 << 20) - 1;  // PTX ISA, mbarrier: the largest expected count

std::string reg(std::size_t quad, std::size_t component) { return fmt::format("wq{}_{}", quad, component); }

std::string all_of(std::size_t quad) {
  return fmt::format("{}, {}, {}, {}", reg(quad, 0), reg(quad, 1), reg(quad, 2), reg(quad, 3));
}

std::string globals() {
  // Zeros come first: a load of constants with index 0 then returns 0 as the index of the next one.
  std::vector<std::string> words(components, "0");
  for (const Mask& mask : masks)
    for (const std::uint32_t bits : {mask.keep_even, mask.set_even, mask.keep_odd, mask.set_odd})
      words.push_back(fmt::format("0x{:x}", bits));
  return fmt::format(".const .align 16 .b32 w_masks[{}] = {{{}}};\n", words.size(), join(words, ", "));
}

/// Turns random bits into numbers of the kind whose index is at bit `shift` of the argument, and stores them where the
/// quads are loaded from: ptxas could keep computed values in other registers than loaded ones. Four quads at a time,
/// because a volatile load waits for the volatile store before it.
void put_values(Frame& frame, std::size_t first, std::size_t count, int shift, const std::string& own) {
  const std::string byte = frame.new_pair(), base = frame.new_pair();
  const FrameWords mask = new_words(frame);
  frame.line("shr.u64 {}, {}, {};", byte, frame.argument_at(argument::at), shift);
  frame.line("and.b64 {0}, {0}, 0xff;", byte);
  frame.line("mov.u64 {}, w_masks;", base);
  frame.line("mad.lo.u64 {0}, {1}, {2}, {0};", base, byte, thread_bytes);
  frame.line("ld.const.v4.u32 {}, [{}+{}];", vector_of(mask), base, thread_bytes);
  std::array<FrameWords, 4> quads;
  for (FrameWords& words : quads) words = new_words(frame);
  for (std::size_t from = first; from < first + count; from += quads.size()) {
    const std::size_t some = std::min(quads.size(), first + count - from);
    for (std::size_t i = 0; i < some; ++i)
      frame.line("ld.volatile.global.v4.u32 {}, [{}+{}];", vector_of(quads[i]), own, (from + i) * quad_bytes);
    for (std::size_t i = 0; i < some; ++i) {
      for (std::size_t j = 0; j < components; ++j) {
        frame.line("and.b32 {0}, {0}, {1};", quads[i][j], mask[j % 2 * 2]);
        frame.line("or.b32 {0}, {0}, {1};", quads[i][j], mask[j % 2 * 2 + 1]);
      }
      frame.line("st.volatile.global.v4.u32 [{}+{}], {};", own, results_at + (from + i) * quad_bytes,
                 vector_of(quads[i]));
    }
  }
}

/// Stores the addresses in the last quads. They go through memory so that they are loaded into consecutive registers.
void put_addresses(Frame& frame, const std::string& own, HoleUse use) {
  const auto words = use == HoleUse::Operands ? std::optional(load_cell_words(frame, own)) : std::nullopt;
  const HoleCell four = put_cell(frame, 4, 0, words), eight = put_cell(frame, 8, 1, words),
                 sixteen = put_cell(frame, 16, 2, words);
  const std::string local = frame.new_word(), generic = frame.new_pair();
  frame.line("mov.u32 {}, w_local;", local);
  if (words) {
    frame.line("st.local.v4.u32 [{}], {};", local, vector_of(words->local));
  } else {
    frame.line("mov.u64 {}, w_local;", generic);
    frame.line("cvta.local.u64 {0}, {0};", generic);
    frame.line("st.volatile.v4.u32 [{0}], {{{1}, {1}, {1}, {1}}};", generic, local);
  }
  const auto keep = [&](std::size_t quad, const std::string& a, const std::string& b, const std::string& c,
                        const std::string& d) {
    frame.line("st.volatile.global.v4.u32 [{}+{}], {{{}, {}, {}, {}}};", own,
               results_at + (number_quads + quad) * quad_bytes, a, b, c, d);
  };
  keep(0, four.low, four.high, eight.low, eight.high);
  keep(1, sixteen.low, sixteen.high, four.shared, eight.shared);
  if (words) return keep(2, sixteen.shared, local, local, local);
  // An mbarrier for each warp in what the cells of 8 bytes leave of their part. Programs use one for all lanes, too. It
  // expects more arrivals than any window makes, so that its phase does not end.
  const std::string barrier = frame.new_word(), lane = frame.new_word();
  frame.line("and.b32 {}, w_thread, 31;", lane);
  frame.line("mad.lo.s32 {0}, {1}, -8, {2}; add.u32 {0}, {0}, {3};", barrier, lane, eight.shared, quad_bytes / 2);
  frame.line("mbarrier.init.shared.b64 [{}], {};", barrier, most_arrivals);  // by all lanes, with the same value
  keep(2, sixteen.shared, local, barrier, local);
  if (use == HoleUse::WarpGroup) {
    put_descriptors(frame);
    keep(3, "w_a_low", "w_a_high", "w_b_low", "w_b_high");
  }
}

/// Declares memory, and finds where the thread's own data begin: the result.
std::string put_places(Frame& frame, HoleUse use) {
  // ptxas would keep fewer words in registers.
  const int local_bytes = use == HoleUse::Operands ? 2048 : 16;
  const bool for_group = use == HoleUse::WarpGroup;
  std::string own = frame.new_pair();
  frame.line(".reg .b64 w_base;");
  frame.line(".local .align 16 .b8 w_local[{}];", local_bytes);
  frame.line(".shared .align {} .b8 w_shared[{}];", for_group ? 1024 : 16, 3 * quad_bytes);
  frame.line("ld.param.u64 w_base, [{}+{}];", kernel_parameter(), argument::data);
  frame.line("cvta.to.global.u64 w_base, w_base;");
  const std::string first = frame.new_pair();
  const std::string at = frame.argument_at(argument::at);
  frame.line(".reg .b64 w_cells;");
  frame.line("shr.u64 w_cells, {}, 32;", at);
  frame.line("mad.lo.u64 w_cells, w_cells, {}, w_base;", place_bytes);
  frame.line("add.s64 w_cells, w_cells, {};", cells_at);
  frame.line("shr.u64 {0}, {1}, 16;", first, at);
  frame.line("and.b64 {0}, {0}, 0xffff;", first);
  frame.line("mad.lo.u64 {}, {}, {}, w_base;", own, first, thread_bytes);
  frame.line("mul.wide.u32 {}, w_thread, {};", first, thread_bytes);
  frame.line("add.s64 {0}, {0}, {1};", own, first);
  return own;
}

void store_quads(Frame& frame, const std::string& own, std::size_t quads) {
  for (std::size_t quad = 0; quad < quads; ++quad) {
    frame.line("st.volatile.global.v4.u32 [{}+{}], {{{}}};", own, results_at + quad * quad_bytes, all_of(quad));
  }
}

/// Stores the quads, and folds what is in them and in the accumulators into one word under the thread's number.
void put_digest(Frame& frame, const std::string& own, std::size_t quads, bool for_group) {
  // The quads go through memory: ptxas does not know what will be in the hole, and would fold the values from before
  // it.
  Digest digest(frame);
  for (int i = 0; for_group && i < accumulator_registers; ++i) {
    const std::string bits = frame.new_word();
    frame.line("mov.b32 {}, {};", bits, accumulator(i));
    digest.add(bits);
  }
  store_quads(frame, own, quads);
  for (std::size_t quad = 0; quad < number_quads; ++quad) {
    frame.line("ld.volatile.global.v4.u32 {{{}}}, [{}+{}];", all_of(quad), own, results_at + quad * quad_bytes);
    for (std::size_t i = 0; i < components; ++i) digest.add(reg(quad, i));
  }
  digest.store();
}

}  // namespace

std::int64_t hole_argument(const HoleValues& values) {
  return static_cast<std::int64_t>(values.results) | static_cast<std::int64_t>(values.constants) << 8 |
         std::int64_t{values.first_thread} << 16;
}

std::int64_t hole_data_bytes(std::int64_t places) {
  return static_cast<std::int64_t>(cells_at) + places * static_cast<std::int64_t>(place_bytes);
}

std::string hole_source(std::size_t room, std::size_t kernels, HoleUse use) {
  const bool for_group = use == HoleUse::WarpGroup, as_they_are = use == HoleUse::Operands;
  const std::size_t quads = for_group ? most_quads : hole_quads;
  Frame frame;
  const std::string own = put_places(frame, use);
  if (!as_they_are) {
    put_values(frame, 0, result_quads, 0, own);
    put_values(frame, result_quads, constant_quads, 8, own);
  }
  put_addresses(frame, own, use);
  for (std::size_t quad = 0; quad < quads; ++quad) {
    const std::size_t from = as_they_are && quad < number_quads ? 0 : results_at;
    frame.line(".reg .b32 {};", all_of(quad));
    frame.line("ld.volatile.global.v4.u32 {{{}}}, [{}+{}];", all_of(quad), own, from + quad * quad_bytes);
  }
  for (int i = 0; for_group && i < accumulator_registers; ++i) {
    const std::size_t number = static_cast<std::size_t>(i) % (number_quads * components);
    frame.line(".reg .f32 {};", accumulator(i));
    frame.line("mov.b32 {}, {};", accumulator(i), reg(number / components, number % components));
  }
  frame.begin_passes();
  if (for_group) put_multiply(frame);
  for (std::size_t quad = 0; quad < quads; ++quad) {
    for (std::size_t i = 0; i < components; ++i) frame.observe(Waits::First, reg(quad, i));
  }
  frame.line("bar.sync 0;");
  frame.open();
  for (std::size_t i = 0; i < room; ++i) {
    frame.line("lop3.b32 {0}, {0}, {1}, {2}, 0x96;", reg(0, 0), reg(0, 1), reg(0, 2));
  }
  frame.close();
  frame.end_passes();
  // A barrier whose number ptxas does not know makes the kernel have all 16.
  frame.line("bar.sync {};", Frame::zero);
  if (for_group) put_second_multiply(frame, fmt::format("{}+{}", own, results_at + hole_quads * quad_bytes));
  if (as_they_are) {
    store_quads(frame, own, quads);
    store_cells(frame, own);
  } else {
    put_digest(frame, own, quads, for_group);
  }
  frame.report();
  const std::string one = frame.kernel("", fmt::format(".maxntid {}, 1, 1", for_group ? most_group_warps * 32 : 1024));
  std::string source = globals();
  for (std::size_t i = 0; i < kernels; ++i)
    source += replace_all(one, kernel_mark, fmt::format("{}{}", kernel_mark, i));
  return source;
}

}  // namespace warpclock

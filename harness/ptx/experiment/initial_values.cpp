#include "ptx/experiment/initial_values.hpp"

#include <algorithm>
#include <array>

#include "ptx/line.hpp"

namespace warpclock {
namespace {

struct Format {
  std::string_view prefix;        ///< of the type's name
  int width;                      ///< bits of one value
  std::uint64_t fraction, one;    ///< mask of the fraction, bits of 1.0
  std::uint64_t infinity, quiet;  ///< bits of infinity (the largest number if the format has none) and of a NaN
};

// IEEE 754 and OCP "8-bit floating point" encodings. A type such as f16x2 matches by its prefix f16.
constexpr std::array<Format, 7> formats{{
    {"f64", 64, 0x000fffffffffffff, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000},
    {"f32", 32, 0x007fffff, 0x3f800000, 0x7f800000, 0x7fc00000},
    {"tf32", 32, 0x007fe000, 0x3f800000, 0x7f800000, 0x7fc00000},
    {"f16", 16, 0x03ff, 0x3c00, 0x7c00, 0x7e00},
    {"bf16", 16, 0x007f, 0x3f80, 0x7f80, 0x7fc0},
    {"e4m3", 8, 0x07, 0x38, 0x7e, 0x7f},
    {"e5m2", 8, 0x03, 0x3c, 0x7c, 0x7e},
}};

std::uint64_t repeated(std::uint64_t bits, int width) {
  for (int have = width; have < 64; have *= 2) bits |= bits << have;
  return bits;
}

const Format* format_of(std::string_view type) {
  for (const Format& format : formats) {
    if (type.starts_with(format.prefix)) return &format;
  }
  return nullptr;
}

// A one in every value of the register, including packed integers ("u16x2").
std::uint64_t integer_one(std::string_view type, RegisterClass file) {
  int width = file == RegisterClass::B64 || file == RegisterClass::B128 ? 64 : bits(file);
  if (type.ends_with("16x2")) width = 16;
  if (type.ends_with("8x4")) width = 8;
  return repeated(1, width < 8 ? 64 : width);
}

}  // namespace

ValueMask value_mask(std::string_view type, RegisterClass file, std::string_view value) {
  if (value == "bits") return {};
  if (value == "lane") return {.keep = 0, .set = 0, .lane = true};
  if (value == "zero") return {.keep = 0, .set = 0};
  const Format* format = format_of(type);
  if (format == nullptr) {
    if (value == "one") return {.keep = 0, .set = integer_one(type, file)};
    return {};
  }
  const auto all = [&](std::uint64_t bits) { return repeated(bits, format->width); };
  if (value == "one") return {.keep = 0, .set = all(format->one)};
  if (value == "denormal") return {.keep = all(format->fraction), .set = all(1)};
  if (value == "infinity") return {.keep = 0, .set = all(format->infinity)};
  if (value == "nan") return {.keep = 0, .set = all(format->quiet)};
  return {.keep = all(format->fraction), .set = all(format->one)};
}

namespace {

constexpr std::int64_t local_bytes = 256;
constexpr std::int64_t place_bytes = 1 << 17;    // for each address operand
constexpr std::int64_t first_address = 1 << 19;  // after the words that are read as inputs
constexpr int most_arrivals = (1 << 20) - 1;     // PTX ISA, mbarrier: the largest expected count

}  // namespace

void InitialValues::set_all() {
  for (std::size_t i = 0; i < operands(); ++i) {
    if (in_register(i) && operand(i).address) {
      address(i);
    } else if (operand(i).read || is_wider_result(i)) {
      const bool each_chain = is_linked(i) || (operand(i).written && operand(i).read);
      for_each_register(i, each_chain ? sets(i) : 1, [&](const Operand&, const std::string& reg) { set(i, reg); });
    }
  }
}

void InitialValues::read_back() {
  for (const std::string& place : local_places_) {
    const std::string word = frame_.new_word();
    frame_.line("ld.local.b32 {}, [{}];", word, place);
    frame_.observe(Waits::Last, word);
  }
}

/// Random bits: those in `keep` are kept, those in `set` are ones, and the others are zeros unknown to the compiler.
std::string InitialValues::masked(std::uint32_t keep, std::uint32_t set) {
  std::string word = frame_.input();
  if (keep == 0) {
    frame_.line("and.b32 {0}, {0}, {1};", word, Frame::zero);
  } else if (keep != ~std::uint32_t{0}) {
    frame_.line("and.b32 {0}, {0}, {1:#x};", word, keep);
  }
  if (set != 0) frame_.line("or.b32 {0}, {0}, {1:#x};", word, set);
  return word;
}

void InitialValues::set(std::size_t i, const std::string& reg) {
  const Operand& of = operand(i);
  if (of.name == "cache_policy" || of.type == "policy") {
    return frame_.line("createpolicy.fractional.L2::evict_normal.b64 {}, 1.0;", reg);
  }
  const ValueMask mask = value_mask(of.type, of.file, of.value);
  const auto word = [&](int half) {
    if (!mask.lane) {
      return masked(static_cast<std::uint32_t>(mask.keep >> (32 * half)),
                    static_cast<std::uint32_t>(mask.set >> (32 * half)));
    }
    std::string lane = frame_.new_word();
    frame_.line("and.b32 {}, {}, 31;", lane, Frame::thread);
    return lane;
  };
  switch (of.file) {
    case RegisterClass::Predicate: {
      const std::string bit = frame_.input();
      frame_.line("and.b32 {0}, {0}, 1;", bit);
      return frame_.line("setp.ne.u32 {}, {}, {};", reg, bit, Frame::zero);
    }
    case RegisterClass::B16:
      return frame_.line("cvt.u16.u32 {}, {};", reg, word(0));
    case RegisterClass::B32:
      return frame_.line("mov.b32 {}, {};", reg, word(0));
    case RegisterClass::B64:
      return set_pair(reg, word(0), word(1));
    case RegisterClass::B128: {
      const std::string low = frame_.new_pair(), high = frame_.new_pair();
      set_pair(low, word(0), word(1));
      set_pair(high, word(0), word(1));
      return frame_.line("mov.b128 {}, {{{}, {}}};", reg, low, high);
    }
  }
}

void InitialValues::set_pair(const std::string& pair, const std::string& low, const std::string& high) {
  frame_.line("mov.b64 {}, {{{}, {}}};", pair, low, high);
}

/// Each thread has its own place, next to its neighbour's, except for constants, which one warp instruction reads at
/// a single address, and mbarriers. The place holds the thread's own address if loads follow it, else zero.
void InitialValues::address(std::size_t i) {
  if (instruction_.mnemonic.contains("mbarrier")) return mbarrier(i);
  const Operand& of = operand(i);
  const std::string reg = name(i, 0, 0);
  const bool rows = instruction_.kind.starts_with("matrix-");
  const std::int64_t stride = std::max<std::int64_t>(of.access_bytes, rows ? 16 : 4);
  const bool shared = of.space.starts_with("shared");
  const std::string place = shared                ? shared_place(of, stride)
                            : of.space == "local" ? local_place(of)
                            : of.space == "const" ? constant_place(of)
                                                  : global_place(stride);
  if (of.before > 0) frame_.line("add.{0} {1}, {1}, {2};", shared ? "u32" : "s64", place, of.before);
  if (of.space != "const") {
    fill(of, place, stride, is_linked(i) && chases(instruction_, *link()),
         shared                ? "shared"
         : of.space == "local" ? "local"
                               : "global");
  }
  // For ptxas this is another number. If a chain overwrote the register that the stores use, it would wait for the
  // stores inside the window.
  if (shared) frame_.line("add.u32 {0}, {0}, {1};", place, Frame::zero);
  const bool narrow = of.file == RegisterClass::B32;
  if (narrow == shared) {
    frame_.line("mov.{} {}, {};", ptx_type(of.file), reg, place);
  } else {
    frame_.line("cvt.{} {}, {};", narrow ? "u32.u64" : "u64.u32", reg, place);
  }
  for_other_chains(i, reg);
}

void InitialValues::for_other_chains(std::size_t i, const std::string& reg) {
  for (int chain = 1; chain < experiment_.ilp && own(i); ++chain) {
    frame_.line("mov.{} {}, {};", ptx_type(operand(i).file), name(i, 0, chain), reg);
  }
}

/// Whether the instruction waits for a phase with the parity 1. A state is that of the first phase, whose parity is 0.
bool InitialValues::waits_for_odd_phase(std::size_t address) const {
  if (!instruction_.mnemonic.contains(".parity") || address + 1 >= operands()) return false;
  return integer_of(operand(address + 1).immediate).value_or(0) % 2 != 0;
}

/// One for each warp, as programs use them. It expects more arrivals than any window makes, so that its phase stays
/// what it is, or a single one, which is made here, if the window is to find it in its second phase.
void InitialValues::mbarrier(std::size_t i) {
  const Operand& of = operand(i);
  const bool second_phase = !of.value.empty() && (of.value == mbarrier_complete) != waits_for_odd_phase(i);
  frame_.line(".shared .align 128 .b8 wshared_{}[{}];", of.name, most_threads / 32 * 8);
  const std::string place = frame_.new_word(), warp = frame_.new_word(), lane = frame_.new_word(),
                    count = frame_.new_word(), first = frame_.new_predicate();
  frame_.line("shr.u32 {}, {}, 5;", warp, Frame::thread);
  frame_.line("and.b32 {}, {}, 31;", lane, Frame::thread);
  frame_.line("setp.eq.u32 {}, {}, 0;", first, lane);
  frame_.line("mov.u32 {}, wshared_{};", place, of.name);
  frame_.line("mad.lo.u32 {0}, {1}, 8, {0};", place, warp);
  frame_.line("mov.u32 {}, {};", count, second_phase ? 1 : most_arrivals);
  frame_.line("@{} mbarrier.init.shared.b64 [{}], {};", first, place, count);
  if (second_phase) frame_.line("@{} mbarrier.arrive.shared.b64 {}, [{}];", first, frame_.new_pair(), place);
  // For ptxas the address is then another number for each thread, and stays in a register of its own.
  frame_.line("add.u32 {0}, {0}, {1};", place, Frame::zero);
  const std::string reg = name(i, 0, 0);
  if (of.file == RegisterClass::B32) {
    frame_.line("mov.b32 {}, {};", reg, place);
  } else {
    frame_.line("cvt.u64.u32 {}, {};", reg, place);
    if (of.space.empty()) frame_.line("cvta.shared.u64 {0}, {0};", reg);
  }
  for_other_chains(i, reg);
}

/// The address is in a 32-bit register, unlike those of other spaces.
std::string InitialValues::shared_place(const Operand& of, std::int64_t stride) {
  frame_.line(".shared .align 128 .b8 wshared_{}[{}];", of.name, most_threads * stride + of.before + of.behind);
  std::string place = frame_.new_word();
  frame_.line("mov.u32 {}, wshared_{};", place, of.name);
  frame_.line("mad.lo.u32 {0}, {1}, {2}, {0};", place, Frame::thread, stride);
  return place;
}

// It is large, accessed at an unknown position, and read after the window; otherwise it would be kept in registers.
std::string InitialValues::local_place(const Operand& of) {
  frame_.line(".local .align 16 .b8 wlocal_{}[{}];", of.name, local_bytes + of.before + of.behind);
  std::string place = frame_.new_pair();
  const std::string unknown = frame_.new_pair();
  frame_.line("mov.b64 {}, wlocal_{};", place, of.name);
  frame_.line("cvt.u64.u32 {}, {};", unknown, masked(0, 0));
  frame_.line("add.s64 {0}, {0}, {1};", place, unknown);
  local_places_.push_back(place);
  return place;
}

std::string InitialValues::constant_place(const Operand& of) {
  const std::string variable = fmt::format("{}_wconst_{}", kernel_mark, of.name);
  globals_ += fmt::format(".const .align 8 .b8 {}[{}];\n", variable, 128 + of.before + of.behind);
  std::string place = frame_.new_pair();
  frame_.line("mov.u64 {}, {};", place, variable);
  // Converted there and back so that the compiler no longer knows the address.
  frame_.line("cvta.const.u64 {0}, {0};", place);
  frame_.line("cvta.to.const.u64 {0}, {0};", place);
  return place;
}

std::string InitialValues::global_place(std::int64_t stride) {
  std::string place = frame_.argument_at(argument::data);
  const std::string own_place = frame_.new_pair();
  frame_.line("mul.wide.u32 {}, {}, {};", own_place, Frame::thread, stride);
  frame_.line("add.s64 {0}, {0}, {1};", place, own_place);
  frame_.line("add.s64 {0}, {0}, {1};", place, places_++ * place_bytes + first_address);
  frame_.line("add.s64 {0}, {0}, {1};", place, frame_.argument_at(argument::at));
  return place;
}

void InitialValues::fill(const Operand& of, const std::string& place, std::int64_t stride, bool follow,
                         std::string_view space) {
  std::string halves[2] = {place, std::string(Frame::zero)};
  if (follow && space != "shared") {
    for (std::string& half : halves) half = frame_.new_word();
    frame_.line("mov.b64 {{{}, {}}}, {};", halves[0], halves[1], place);
  }
  for (std::int64_t byte = 0; byte < stride; byte += 4) {
    const bool pointer = follow && byte < std::min<std::int64_t>(of.access_bytes, 8);
    frame_.line("st{}.{}.b32 [{}+{}], {};", space == "local" ? "" : ".volatile", space, place, byte,
                pointer ? std::string_view(halves[byte / 4]) : Frame::zero);
  }
}

}  // namespace warpclock

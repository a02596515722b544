#include "ptx/types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace warpclock {
namespace {

using Type = std::pair<std::string_view, int>;

// PTX ISA, "Fundamental Types", "Alternate Floating-Point Data Formats" and "Packed Data Types". Packed narrow formats
// count with the bytes to which they are padded.
constexpr std::array<Type, 51> types{{
    {"b1", 1},      {"b4", 4},      {"b8", 8},      {"b16", 16},    {"b32", 32},    {"b64", 64},     {"b128", 128},
    {"s4", 4},      {"s8", 8},      {"s16", 16},    {"s32", 32},    {"s64", 64},    {"u4", 4},       {"u8", 8},
    {"u16", 16},    {"u32", 32},    {"u64", 64},    {"f16", 16},    {"f16x2", 32},  {"bf16", 16},    {"bf16x2", 32},
    {"f32", 32},    {"f32x2", 64},  {"f64", 64},    {"tf32", 32},   {"s16x2", 32},  {"u16x2", 32},   {"pred", 1},
    {"e2m1", 4},    {"e2m3", 8},    {"e3m2", 8},    {"e4m3", 8},    {"e5m2", 8},    {"ue4m3", 8},    {"ue8m0", 8},
    {"e2m1x2", 8},  {"e2m3x2", 16}, {"e3m2x2", 16}, {"e4m3x2", 16}, {"e5m2x2", 16}, {"ue8m0x2", 16}, {"e2m1x4", 16},
    {"e2m3x4", 32}, {"e3m2x4", 32}, {"e4m3x4", 32}, {"e5m2x4", 32}, {"b8x16", 128}, {"u8x4", 32},    {"s8x4", 32},
    {"s2", 2},      {"u2", 2},
}};

constexpr std::array<std::string_view, 49> special_registers{"tid",
                                                             "ntid",
                                                             "laneid",
                                                             "warpid",
                                                             "nwarpid",
                                                             "ctaid",
                                                             "nctaid",
                                                             "smid",
                                                             "nsmid",
                                                             "gridid",
                                                             "is_explicit_cluster",
                                                             "clusterid",
                                                             "nclusterid",
                                                             "cluster_ctaid",
                                                             "cluster_nctaid",
                                                             "cluster_ctarank",
                                                             "cluster_nctarank",
                                                             "lanemask_eq",
                                                             "lanemask_le",
                                                             "lanemask_lt",
                                                             "lanemask_ge",
                                                             "lanemask_gt",
                                                             "clock",
                                                             "clock_hi",
                                                             "clock64",
                                                             "globaltimer",
                                                             "globaltimer_lo",
                                                             "globaltimer_hi",
                                                             "reserved_smem_offset_begin",
                                                             "reserved_smem_offset_end",
                                                             "reserved_smem_offset_cap",
                                                             "reserved_smem_offset_0",
                                                             "reserved_smem_offset_1",
                                                             "total_smem_size",
                                                             "aggr_smem_size",
                                                             "dynamic_smem_size",
                                                             "current_graph_exec",
                                                             "pm0",
                                                             "pm1",
                                                             "pm2",
                                                             "pm3",
                                                             "pm4",
                                                             "pm5",
                                                             "pm6",
                                                             "pm7",
                                                             "pm0_64",
                                                             "pm1_64",
                                                             "pm2_64",
                                                             "pm3_64"};

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

int type_bits(std::string_view word) {
  const auto* const found = std::ranges::find(types, word, &Type::first);
  return found == types.end() ? 0 : found->second;
}

bool is_like_type(std::string_view word) {
  const std::size_t letters = word.find_first_of("0123456789");
  if (letters == std::string_view::npos) return false;
  constexpr std::array<std::string_view, 5> starts{"b", "s", "u", "f", "bf"};
  if (std::ranges::find(starts, word.substr(0, letters)) == starts.end()) return false;
  const std::string_view rest = word.substr(letters);
  const std::size_t lanes = rest.find('x');
  return all_digits(rest.substr(0, lanes)) && (lanes == std::string_view::npos || all_digits(rest.substr(lanes + 1)));
}

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, size] : types) all.emplace_back(name);
    return all;
  }();
  return names;
}

RegisterClass register_class(std::string_view type) {
  const int size = type_bits(type);
  if (type == "pred") return RegisterClass::Predicate;
  if (size > 64) return RegisterClass::B128;
  if (size > 32) return RegisterClass::B64;
  return size == 16 ? RegisterClass::B16 : RegisterClass::B32;
}

int bits_by_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 6> names{
      {{"%p", 1}, {"%rs", 16}, {"%rd", 64}, {"%fd", 64}, {"%r", 32}, {"%f", 32}}};
  for (const auto& [begins, size] : names)
    if (name.size() > begins.size() && name.starts_with(begins) && all_digits(name.substr(begins.size()))) return size;
  return 0;
}

bool is_special_register(std::string_view name) {
  if (name == "WARP_SZ") return true;
  if (!name.starts_with('%')) return false;
  name = name.substr(1, name.find('.') - 1);
  if (name.starts_with("envreg")) return all_digits(name.substr(6));
  return std::ranges::find(special_registers, name) != special_registers.end();
}

}  // namespace warpclock

#include "execute/code_operand.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "code/word.hpp"
#include "execute/forms/number_format.hpp"

namespace warpclock {
namespace {

constexpr auto specials = std::to_array<std::pair<std::string_view, SpecialRegister>>({
    {"SRZ", SpecialRegister::Zero},
    {"SR_TID.X", SpecialRegister::TidX},
    {"SR_TID.Y", SpecialRegister::TidY},
    {"SR_TID.Z", SpecialRegister::TidZ},
    {"SR_CTAID.X", SpecialRegister::CtaX},
    {"SR_CTAID.Y", SpecialRegister::CtaY},
    {"SR_CTAID.Z", SpecialRegister::CtaZ},
    {"SR_NCTAID.X", SpecialRegister::GridX},
    {"SR_NCTAID.Y", SpecialRegister::GridY},
    {"SR_NCTAID.Z", SpecialRegister::GridZ},
    {"SR_LANEID", SpecialRegister::Lane},
    {"SR_EQMASK", SpecialRegister::LanesEqual},
    {"SR_LTMASK", SpecialRegister::LanesLess},
    {"SR_LEMASK", SpecialRegister::LanesLessEqual},
    {"SR_GTMASK", SpecialRegister::LanesGreater},
    {"SR_GEMASK", SpecialRegister::LanesGreaterEqual},
    {"SR_CgaCtaId", SpecialRegister::ClusterRank},
    {"SR_SWINHI", SpecialRegister::SharedWindow},
});

bool cut(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// "+INF", "-QNAN", "1.5e-07".
std::optional<double> real_of(std::string_view text) {
  if (text.ends_with("INF")) return text.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  if (text.ends_with("QNAN")) return std::numeric_limits<double>::quiet_NaN();
  cut(text, "+");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> unsigned_of(std::string_view text) {
  if (text.starts_with("0x")) return hex_number(text.substr(2));
  return whole_number<std::uint64_t>(text);
}

/// A register's suffix: ".H1_H1", ".F32", ".reuse". Others mean parts of it that are not followed: ".B2".
void read_suffix(std::string_view suffix, WordSource& source) {
  using Half = WordSource::Half;
  if (suffix == "H0_H0")
    source.half = Half::Low;
  else if (suffix == "H1_H1")
    source.half = Half::High;
  else if (suffix == "H0_H1")
    source.half = Half::Swapped;
  else if (suffix == "F32")
    source.half = Half::Whole;
  else if (suffix == "H1")
    source.part = 2;
  else if (suffix.size() == 2 && suffix[0] == 'B' && suffix[1] >= '0' && suffix[1] < '4')
    source.part = static_cast<std::uint8_t>(suffix[1] - '0');
  else if (suffix != "reuse" && suffix != "H1_H0" && suffix != "H0" && suffix != "ROW" && suffix != "COL")
    source.understood = false;
}

/// "R4.64", "UR5", "0x80", "-0x10", "R0.X4": what is added in the brackets of an address.
bool add_term(std::string_view term, AddressSource& address) {
  const bool negative = cut(term, "-");
  if (const auto number = unsigned_of(term)) {
    const auto offset = static_cast<std::int64_t>(*number);
    address.offset += negative ? -offset : offset;
    return true;
  }
  const std::string_view name = term.substr(0, term.find('.'));
  const std::string_view suffix = term.substr(std::min(term.size(), name.size() + 1));
  if (name == "RZ" || name == "URZ") return true;
  const auto reg = parse_register(name);
  if (!reg || negative) return false;
  if (reg->file == RegisterFile::Vector) {
    address.base = static_cast<std::uint16_t>(reg->index);
    address.wide = suffix == "64";
    if (suffix.starts_with('X')) address.shift = suffix == "X4" ? 2 : suffix == "X8" ? 3 : suffix == "X16" ? 4 : 0;
    return true;
  }
  if (reg->file != RegisterFile::Uniform) return false;
  address.uniform = static_cast<std::uint16_t>(places::uniform + reg->index);
  address.uniform_wide = suffix == "64";
  return true;
}

}  // namespace

std::optional<PredicateSource> predicate_operand(std::string_view text) {
  PredicateSource made;
  made.inverted = cut(text, "!");
  text = text.substr(0, text.find('.'));
  if (text == "PT" || text == "UPT") return made;
  const auto reg = parse_register(text);
  if (!reg) return std::nullopt;
  if (reg->file == RegisterFile::Predicate)
    made.place = static_cast<std::uint8_t>(reg->index);
  else if (reg->file == RegisterFile::UniformPredicate)
    made.place = static_cast<std::uint8_t>(places::uniform_predicate + reg->index);
  else
    return std::nullopt;
  return made;
}

std::optional<std::uint16_t> register_operand(std::string_view text) {
  text = text.substr(0, text.find('.'));
  if (text == "RZ") return places::vector_zero;
  if (text == "URZ") return places::uniform_zero;
  const auto reg = parse_register(text);
  if (!reg) return std::nullopt;
  if (reg->file == RegisterFile::Vector) return static_cast<std::uint16_t>(reg->index);
  if (reg->file == RegisterFile::Uniform) return static_cast<std::uint16_t>(places::uniform + reg->index);
  return std::nullopt;
}

std::optional<AddressSource> address_operand(std::string_view text) {
  const std::size_t open = text.rfind('['), close = text.rfind(']');
  if (open == text.npos || close == text.npos || close < open) return std::nullopt;
  AddressSource made;
  for (const std::string& term : split(text.substr(open + 1, close - open - 1), '+')) {
    if (!term.empty() && !add_term(trim(term), made)) return std::nullopt;
  }
  return made;
}

std::optional<SpecialRegister> special_operand(std::string_view text) {
  const auto* const found = std::ranges::find(specials, text, &std::pair<std::string_view, SpecialRegister>::first);
  if (found != specials.end()) return found->second;
  return text.starts_with("SR") ? std::optional(SpecialRegister::Unknown) : std::nullopt;
}

std::optional<ConstantOperand> constant_operand(std::string_view text) {
  if (!cut(text, "c[")) return std::nullopt;
  const std::size_t close = text.find(']');
  const auto bank = close == text.npos ? std::nullopt : unsigned_of(text.substr(0, close));
  const auto address = bank ? address_operand(text.substr(close + 1)) : std::nullopt;
  constexpr std::int64_t most_offset = 0xffff;
  if (!address || *bank > 0xff || address->offset > most_offset) return std::nullopt;
  const bool fixed = address->base == places::vector_zero && address->uniform == places::uniform_zero;
  if (address->offset < (fixed ? 0 : -most_offset)) return std::nullopt;
  return ConstantOperand{static_cast<std::uint32_t>(*bank), *address};
}

std::optional<std::uint64_t> number_operand(std::string_view text, NumberKind kind) {
  const bool negative = text.starts_with('-');
  const auto whole = unsigned_of(negative ? text.substr(1) : text);
  const bool hexadecimal = text.contains("0x");
  if (kind == NumberKind::Integer || (hexadecimal && whole)) {
    if (!whole) return std::nullopt;
    return negative ? 0 - *whole : *whole;
  }
  const auto real = real_of(text);
  if (!real) return std::nullopt;
  if (kind == NumberKind::Double) return std::bit_cast<std::uint64_t>(*real);
  if (kind == NumberKind::Half) return rounded_bits(formats::half, *real, Rounding::Nearest);
  if (kind == NumberKind::Bfloat) return rounded_bits(formats::bfloat, *real, Rounding::Nearest);
  return std::bit_cast<std::uint32_t>(static_cast<float>(*real));
}

std::string_view bare_operand(std::string_view text, WordSource& source) {
  source.negative = cut(text, "-");
  source.inverted = cut(text, "~");
  source.absolute = text.starts_with('|');
  if (source.absolute) {
    const std::size_t end = text.rfind('|');
    const std::string_view suffix = text.substr(std::min(text.size(), end + 1));
    if (suffix.starts_with('.')) read_suffix(suffix.substr(1), source);
    text = end > 0 ? text.substr(1, end - 1) : text.substr(1);
  }
  std::string_view rest = text.starts_with('c') || text.starts_with("SR") || is_digit(text.empty() ? 'x' : text[0])
                              ? std::string_view()
                              : text;
  for (std::size_t dot = rest.find('.'); dot != rest.npos; dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    read_suffix(rest.substr(0, rest.find('.')), source);
  }
  return text;
}

bool has_halves(std::string_view opcode) { return opcode.starts_with('H') || opcode == "VHMNMX"; }

bool converts(std::string_view opcode) {
  constexpr auto all = std::to_array<std::string_view>({"F2F", "F2I", "FRND", "I2F", "F2FP"});
  return std::ranges::find(all, opcode) != all.end();
}

NumberKind number_kind(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (has_halves(opcode)) return has_modifier(instruction, "BF16_V2") ? NumberKind::Bfloat : NumberKind::Half;
  if (opcode.starts_with("D") && opcode != "DEPBAR") return NumberKind::Double;
  const bool converts = opcode == "FLO";
  return opcode.starts_with("F") && !converts ? NumberKind::Float
         : opcode == "MUFU"                   ? NumberKind::Float
                                              : NumberKind::Integer;
}

}  // namespace warpclock

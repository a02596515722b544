#include "ptx/conversion.hpp"

#include <fmt/format.h>

namespace warpclock {
namespace {

using File = RegisterClass;

/// `to` = some of the bits of `from`, with `to` itself as what is missing.
std::string resize(const std::string& from, File from_file, const std::string& to, File to_file) {
  if (from_file == to_file) return fmt::format("mov.{0} {2}, {1};", ptx_type(to_file), from, to);
  if (from_file == File::Predicate) {
    switch (to_file) {
      case File::B16:
        return fmt::format("selp.b16 {1}, {1}, 1, {0};", from, to);
      case File::B64:
        return fmt::format("selp.b64 {1}, {1}, 1, {0};", from, to);
      default:
        return fmt::format("selp.b32 {1}, {1}, 1, {0};", from, to);
    }
  }
  if (to_file == File::Predicate) {
    if (from_file == File::B128)
      return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {}; setp.ne.b64 {}, l, 0; }}", from, to);
    return fmt::format("setp.ne.{} {}, {}, 0;", ptx_type(from_file), to, from);
  }
  switch (from_file) {
    case File::B16:
      if (to_file == File::B32) {
        return fmt::format("{{ .reg .b16 l, h; mov.b32 {{l, h}}, {1}; mov.b32 {1}, {{{0}, h}}; }}", from, to);
      }
      return fmt::format(
          "{{ .reg .b16 l, h; .reg .b32 x, y; mov.b64 {{x, y}}, {1}; mov.b32 {{l, h}}, x; mov.b32 x, {{{0}, h}}; "
          "mov.b64 {1}, {{x, y}}; }}",
          from, to);
    case File::B32:
      if (to_file == File::B16) return fmt::format("{{ .reg .b16 h; mov.b32 {{{1}, h}}, {0}; }}", from, to);
      return fmt::format("{{ .reg .b32 x, y; mov.b64 {{x, y}}, {1}; mov.b64 {1}, {{{0}, y}}; }}", from, to);
    case File::B64:
      if (to_file == File::B16) {
        return fmt::format("{{ .reg .b16 h; .reg .b32 x, y; mov.b64 {{x, y}}, {0}; mov.b32 {{{1}, h}}, x; }}", from,
                           to);
      }
      if (to_file == File::B32) return fmt::format("{{ .reg .b32 y; mov.b64 {{{1}, y}}, {0}; }}", from, to);
      return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {1}; mov.b128 {1}, {{{0}, h}}; }}", from, to);
    default:
      return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {0}; {1} }}", from,
                         resize("l", File::B64, to, to_file));
  }
}

/// The loaded zero added to the address.
std::string advance(const std::string& loaded, File loaded_file, const std::string& address, File address_file) {
  const std::string type = bits(address_file) == 64 ? "u64" : "u32";
  if (loaded_file == address_file) return fmt::format("add.{0} {1}, {1}, {2};", type, address, loaded);
  if (bits(loaded_file) > bits(address_file) && loaded_file != File::B128) {
    return fmt::format("{{ .reg .b32 x, y; mov.b64 {{x, y}}, {2}; add.{0} {1}, {1}, x; }}", type, address, loaded);
  }
  if (loaded_file == File::B128) {
    return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {1}; {0} }}",
                       advance("l", File::B64, address, address_file), loaded);
  }
  return fmt::format("{{ .reg .{0} z; cvt.{0}.u{1} z, {2}; add.{0} {3}, {3}, z; }}", type, bits(loaded_file), loaded,
                     address);
}

}  // namespace

bool chases(const PtxInstruction& instruction, Link link) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  return to.address && to.space != "const" && to.offset.empty() && instruction.kind == "load" &&
         (from.file == to.file || (from.file == RegisterClass::B64 && to.file == RegisterClass::B32));
}

std::string conversion(const PtxInstruction& instruction, Link link,
                       const std::function<std::string(std::size_t, int)>& name) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  if (to.address && !chases(instruction, link)) {
    return advance(name(link.from, 0), from.file, name(link.to, 0), to.file);
  }
  std::string text;
  for (int element = 0; element < to.elements; ++element) {
    if (!text.empty()) text += ' ';
    text += resize(name(link.from, element % from.elements), from.file, name(link.to, element), to.file);
  }
  return text;
}

}  // namespace warpclock

#include "ptx/experiment/conversion.hpp"

#include <fmt/format.h>

#include "ptx/experiment/frame.hpp"

namespace warpclock {
namespace {

using File = RegisterClass;

/// Sets `to` to bits of `from`. Missing bits come from `to` itself.
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

/// Combines the bits of `count` loaded elements in x. If only one were used, the compiler would not load the others.
std::string all_bits(const Operand& from, int count, const std::function<std::string(int)>& name) {
  std::string text;
  for (int element = 0; element < count; ++element) {
    const std::string reg = name(element);
    const std::string_view how = element == 0 ? "mov.b32 x, " : "or.b32 x, x, ";
    if (from.file == File::B16) {
      text += fmt::format("cvt.u32.u16 y, {}; {}y; ", reg, how);
    } else if (from.file == File::B64) {
      text += fmt::format("mov.b64 {{y, z}}, {}; {}y; or.b32 x, x, z; ", reg, how);
    } else {
      text += fmt::format("{}{}; ", how, reg);
    }
  }
  return text;
}

/// Adds a vector of loaded zeros to the address.
std::string advance_by_all(const Operand& from, int count, const std::function<std::string(int)>& name,
                           const Operand& to, const std::string& address) {
  const std::string bits = "{ .reg .b32 x, y, z; " + all_bits(from, count, name);
  if (to.file == File::B32) return fmt::format("{0}add.u32 {1}, {1}, x; }}", bits, address);
  // In these spaces an address has 32 bits. Whether the compiler computes the upper half would differ from copy to
  // copy.
  if (to.space == "const" || to.space == "local")
    return fmt::format("{0}mov.b64 {{y, z}}, {1}; add.u32 y, y, x; mov.b64 {1}, {{y, z}}; }}", bits, address);
  return fmt::format("{0}.reg .b64 l; cvt.u64.u32 l, x; add.u64 {1}, {1}, l; }}", bits, address);
}

/// Adds the loaded zero to the address.
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

/// Makes `x` depend on `word` without changing it: x ^ (word & 0), as one instruction that compilers seldom generate
/// otherwise.
std::string lean(const std::string& x, const std::string& word) {
  return fmt::format("lop3.b32 {0}, {0}, {1}, {2}, 0x78; ", x, word, Frame::zero);
}

/// Does this with every word of a result. Whatever depends on the low word of an address depends on the address.
std::string steer(const Operand& from, const std::function<std::string(int)>& name, File to_file,
                  const std::string& to) {
  std::string text = "{ .reg .b32 t, x, y; ";
  if (to_file == File::B64) text += fmt::format(".reg .b32 h; mov.b64 {{t, h}}, {}; ", to);
  if (to_file == File::B16) text += fmt::format(".reg .b16 h; mov.b32 t, {{{0}, {0}}}; ", to);
  const std::string word = to_file == File::B32 ? to : "t";
  for (int element = 0; element < from.elements; ++element) {
    const std::string reg = name(element);
    switch (from.file) {
      case File::Predicate:
        text += fmt::format("selp.b32 x, 1, 0, {}; {}", reg, lean(word, "x"));
        break;
      case File::B16:
        text += fmt::format("mov.b32 x, {{{0}, {0}}}; {1}", reg, lean(word, "x"));
        break;
      case File::B32:
        text += lean(word, reg);
        break;
      case File::B64:
        text += fmt::format("mov.b64 {{x, y}}, {}; {}{}", reg, lean(word, "x"), lean(word, "y"));
        break;
      case File::B128:
        text +=
            fmt::format("{{ .reg .b64 l, u; mov.b128 {{l, u}}, {}; mov.b64 {{x, y}}, l; }} {}", reg, lean(word, "x"));
        break;
    }
  }
  if (to_file == File::B64) text += fmt::format("mov.b64 {}, {{t, h}}; ", to);
  if (to_file == File::B16) text += fmt::format("mov.b32 {{{}, h}}, t; ", to);
  return text + "}";
}

}  // namespace

std::string conversion(const PtxInstruction& instruction, Link link,
                       const std::function<std::string(std::size_t, int)>& name) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  const bool loads = instruction.kind == "load" || instruction.kind == "matrix-load";
  if ((to.address && !loads) || to.steers) {
    return steer(
        from, [&](int element) { return name(link.from, element); }, to.file, name(link.to, 0));
  }
  if (to.address && !chases(instruction, link)) {
    if (from.elements > 1) {
      return advance_by_all(
          from, read_elements(instruction, link), [&](int element) { return name(link.from, element); }, to,
          name(link.to, 0));
    }
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

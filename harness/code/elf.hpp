#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// The struct at an offset of bytes, aligned or not; nothing if it does not lie in them.
template <class Struct>
[[nodiscard]] std::optional<Struct> struct_at(std::string_view bytes, std::uint64_t offset) {
  Struct made;
  if (bytes.size() < sizeof(made) || offset > bytes.size() - sizeof(made)) return std::nullopt;
  std::memcpy(&made, bytes.data() + offset, sizeof(made));
  return made;
}

/// A section of a cubin.
struct ElfSection {
  std::string_view name;    ///< into the image
  std::uint32_t type = 0;   ///< SHT_PROGBITS, …
  std::uint32_t info = 0;   ///< what sh_info means for its type
  std::uint64_t flags = 0;  ///< sh_flags
  std::uint64_t size = 0;   ///< also of a section without bytes in the file
  std::string_view bytes;   ///< into the image; empty for SHT_NOBITS, and where they do not lie in it
};

/// The longest name of a section or a symbol. That of a kernel is its mangled one.
inline constexpr std::size_t most_name_bytes = std::size_t{64} << 10;

/// The names in a section of strings. However many refer to it, they take at most as many bytes together as is said:
/// thousands may share one text.
class StringTable {
 public:
  StringTable(std::string_view bytes, std::size_t most) : bytes_(bytes), left_(most) {}

  /// The name that begins there, into the section. Error "elf" if it is outside, has no end, is longer than
  /// most_name_bytes, or is one too many.
  [[nodiscard]] Expected<std::string_view> at(std::uint64_t offset);

 private:
  std::string_view bytes_;
  std::size_t left_;
};

/// How many times the size of a cubin its sections may have together, and its names. Some share their bytes: for
/// sm_100, ptxas writes .nv.merc.nv.global.init where .nv.global.init is.
inline constexpr std::size_t most_times_shared = 4;

/// The sections of a cubin, by their index. Together they and their names are at most most_times_shared times as large
/// as it. The image is foreign input: error "elf", never a crash.
[[nodiscard]] Expected<std::vector<ElfSection>> elf_sections(std::string_view image);

/// The machine code of one kernel of a cubin.
struct CodeSection {
  std::string kernel;
  std::string_view code;   ///< into the image
  bool relocated = false;  ///< the loader changes some of its instructions
};

/// The place of a function's name among the symbols of a cubin. Error "elf" if it has none.
[[nodiscard]] Expected<std::size_t> symbol_index(std::string_view image, const std::string& name);

/// The .text sections of a cubin, in its order. The image is foreign input: error "elf", never a crash.
[[nodiscard]] Expected<std::vector<CodeSection>> code_sections(std::string_view image);

/// The same cubin with zeros for the machine code of some functions. Errors of code_sections().
[[nodiscard]] Expected<std::string> without_code_of(std::string_view image, const std::set<std::string>& functions);

}  // namespace warpclock

#include "inspect/image/module_variables.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace warpclock {
namespace {

template <typename T>
std::optional<T> record_at(std::string_view bytes, std::uint64_t index) {
  if (index >= bytes.size() / sizeof(T)) return std::nullopt;
  T record;
  std::memcpy(&record, bytes.data() + index * sizeof(T), sizeof(T));
  return record;
}

}  // namespace

Expected<std::vector<ModuleVariable>> module_variables(const std::vector<ElfSection>& sections,
                                                       std::size_t image_bytes) {
  constexpr std::uint32_t address = 2;           // R_CUDA_64
  constexpr std::uint64_t bank_bytes = 1 << 16;  // CUDA C++ Programming Guide, "Technical Specifications": 64 KB
  const auto named = [&](std::string_view name) {
    const auto found = std::ranges::find(sections, name, &ElfSection::name);
    return found == sections.end() ? std::string_view() : found->bytes;
  };
  const std::string_view places = named(".rela.nv.constant4"), symbols = named(".symtab");
  StringTable names(named(".strtab"), most_times_shared * image_bytes);
  std::vector<ModuleVariable> all;
  for (std::uint64_t i = 0; const auto place = record_at<Elf64_Rela>(places, i); ++i) {
    const auto symbol = record_at<Elf64_Sym>(symbols, ELF64_R_SYM(place->r_info));
    // An address behind the beginning of a variable is not needed: ptxas adds offsets in the code.
    if (!symbol || ELF64_R_TYPE(place->r_info) != address || place->r_addend != 0 || place->r_offset >= bank_bytes ||
        ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0 || symbol->st_size > INT32_MAX)
      continue;
    ModuleVariable& made = all.emplace_back(ModuleVariable{.at = static_cast<std::uint32_t>(place->r_offset)});
    made.name = WARPCLOCK_TRY(names.at(symbol->st_name));
    made.bytes = static_cast<std::int64_t>(symbol->st_size);
    if (!made.name.starts_with("__cudart_") || symbol->st_shndx >= sections.size()) continue;
    const std::string_view held = sections[symbol->st_shndx].bytes;
    if (symbol->st_value <= held.size() && symbol->st_size <= held.size() - symbol->st_value)
      made.contents = held.substr(symbol->st_value, symbol->st_size);
  }
  return all;
}

}  // namespace warpclock

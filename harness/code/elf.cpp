#include "code/elf.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace warpclock {
namespace {

/// The header at an offset, or nothing if it does not lie in the image. Headers of a cubin need not be aligned in
/// memory.
template <class Header>
std::optional<Header> header_at(std::string_view image, std::uint64_t offset) {
  Header header;
  if (image.size() < sizeof(header) || offset > image.size() - sizeof(header)) return std::nullopt;
  std::memcpy(&header, image.data() + offset, sizeof(header));
  return header;
}

std::optional<std::string_view> bytes_of(std::string_view image, const Elf64_Shdr& section) {
  if (section.sh_offset > image.size() || section.sh_size > image.size() - section.sh_offset) return std::nullopt;
  return image.substr(section.sh_offset, section.sh_size);
}

std::optional<std::string_view> name_at(std::string_view names, std::uint64_t offset) {
  if (offset >= names.size()) return std::nullopt;
  const std::size_t end = names.find('\0', offset);
  if (end == names.npos) return std::nullopt;
  return names.substr(offset, end - offset);
}

std::unexpected<Error> broken(const char* what) {
  return fail("elf", std::string("the cubin cannot be read: ") + what);
}

}  // namespace

Expected<std::vector<CodeSection>> code_sections(std::string_view image) {
  const auto file = header_at<Elf64_Ehdr>(image, 0);
  if (!file || std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return broken("it is no ELF file");
  if (file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_ident[EI_DATA] != ELFDATA2LSB ||
      file->e_shentsize != sizeof(Elf64_Shdr)) {
    return broken("it is not laid out as 64-bit little-endian files are");
  }
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < file->e_shnum; ++i) {
    const auto section = header_at<Elf64_Shdr>(image, file->e_shoff + i * sizeof(Elf64_Shdr));
    if (file->e_shoff > image.size() || !section) return broken("a section header lies outside of it");
    sections.push_back(*section);
  }
  if (file->e_shstrndx >= sections.size()) return broken("there are no section names");
  const auto names = bytes_of(image, sections[file->e_shstrndx]);
  if (!names) return broken("the section names lie outside of it");

  constexpr std::string_view prefix = ".text.";
  std::vector<CodeSection> all;
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < sections.size(); ++i) {
    const auto name = name_at(*names, sections[i].sh_name);
    if (!name) return broken("a section has no name");
    if (sections[i].sh_type != SHT_PROGBITS || !name->starts_with(prefix)) continue;
    const auto code = bytes_of(image, sections[i]);
    if (!code) return broken("machine code lies outside of it");
    all.push_back({std::string(name->substr(prefix.size())), *code});
    indices.push_back(i);
  }
  for (const Elf64_Shdr& section : sections) {
    if ((section.sh_type != SHT_REL && section.sh_type != SHT_RELA) || section.sh_size == 0) continue;
    for (std::size_t i = 0; i < all.size(); ++i) all[i].relocated = all[i].relocated || indices[i] == section.sh_info;
  }
  return all;
}

}  // namespace warpclock

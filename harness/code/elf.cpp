#include "code/elf.hpp"

#include <elf.h>

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

Expected<std::vector<ElfSection>> elf_sections(std::string_view image) {
  const auto file = header_at<Elf64_Ehdr>(image, 0);
  if (!file || std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return broken("it is no ELF file");
  if (file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_ident[EI_DATA] != ELFDATA2LSB ||
      file->e_shentsize != sizeof(Elf64_Shdr)) {
    return broken("it is not laid out as 64-bit little-endian files are");
  }
  std::vector<Elf64_Shdr> headers;
  for (std::uint64_t i = 0; i < file->e_shnum; ++i) {
    const auto header = header_at<Elf64_Shdr>(image, file->e_shoff + i * sizeof(Elf64_Shdr));
    if (file->e_shoff > image.size() || !header) return broken("a section header is outside of it");
    headers.push_back(*header);
  }
  if (file->e_shstrndx >= headers.size()) return broken("there are no section names");
  const auto names = bytes_of(image, headers[file->e_shstrndx]);
  if (!names) return broken("the section names are outside of it");

  std::vector<ElfSection> sections;
  for (const Elf64_Shdr& header : headers) {
    const auto name = name_at(*names, header.sh_name);
    if (!name) return broken("a section has no name");
    ElfSection& section = sections.emplace_back(*name, header.sh_type, header.sh_info, header.sh_flags, header.sh_size);
    if (header.sh_type != SHT_NOBITS) section.bytes = bytes_of(image, header).value_or(std::string_view());
  }
  return sections;
}

Expected<std::vector<CodeSection>> code_sections(std::string_view image) {
  const auto sections = WARPCLOCK_TRY(elf_sections(image));
  constexpr std::string_view prefix = ".text.";
  std::vector<CodeSection> all;
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < sections.size(); ++i) {
    if (sections[i].type != SHT_PROGBITS || !sections[i].name.starts_with(prefix)) continue;
    if (sections[i].bytes.size() != sections[i].size) return broken("machine code is outside of it");
    all.push_back({std::string(sections[i].name.substr(prefix.size())), sections[i].bytes});
    indices.push_back(i);
  }
  for (const ElfSection& section : sections) {
    if ((section.type != SHT_REL && section.type != SHT_RELA) || section.size == 0) continue;
    for (std::size_t i = 0; i < all.size(); ++i) all[i].relocated = all[i].relocated || indices[i] == section.info;
  }
  return all;
}

}  // namespace warpclock

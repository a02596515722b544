#include "code/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <map>

namespace warpclock {
namespace {

std::optional<std::string_view> bytes_of(std::string_view image, const Elf64_Shdr& section) {
  if (section.sh_offset > image.size() || section.sh_size > image.size() - section.sh_offset) return std::nullopt;
  return image.substr(section.sh_offset, section.sh_size);
}

std::unexpected<Error> broken(const char* what) {
  return fail("elf", std::string("the cubin cannot be read: ") + what);
}

/// The bytes of a section, taken from what the sections may have together; none where they do not lie in the image.
Expected<std::string_view> content_of(std::string_view image, const Elf64_Shdr& header, std::size_t& left) {
  if (header.sh_type == SHT_NOBITS) return std::string_view();
  const std::string_view bytes = bytes_of(image, header).value_or(std::string_view());
  if (bytes.size() > left) return broken("its sections overlap: together they are larger than four times the file");
  left -= bytes.size();
  return bytes;
}

}  // namespace

Expected<std::string_view> StringTable::at(std::uint64_t offset) {
  if (offset >= bytes_.size()) return broken("a name is outside of the section of names");
  const std::string_view rest = bytes_.substr(offset, most_name_bytes + 1);
  const std::size_t end = rest.find('\0');
  if (end == rest.npos && rest.size() > most_name_bytes) return broken("a name is longer than 64 KiB");
  if (end == rest.npos) return broken("a name has no end");
  if (end > left_) return broken("its names together are longer than four times the file");
  left_ -= end;
  return rest.substr(0, end);
}

Expected<std::vector<ElfSection>> elf_sections(std::string_view image) {
  const auto file = struct_at<Elf64_Ehdr>(image, 0);
  if (!file || std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return broken("it is no ELF file");
  if (file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_ident[EI_DATA] != ELFDATA2LSB ||
      file->e_shentsize != sizeof(Elf64_Shdr)) {
    return broken("it is not laid out as 64-bit little-endian files are");
  }
  std::vector<Elf64_Shdr> headers;
  for (std::uint64_t i = 0; i < file->e_shnum; ++i) {
    const auto header = struct_at<Elf64_Shdr>(image, file->e_shoff + i * sizeof(Elf64_Shdr));
    if (file->e_shoff > image.size() || !header) return broken("a section header is outside of it");
    headers.push_back(*header);
  }
  if (file->e_shstrndx >= headers.size()) return broken("there are no section names");
  const auto name_bytes = bytes_of(image, headers[file->e_shstrndx]);
  if (!name_bytes) return broken("the section names are outside of it");

  StringTable names(*name_bytes, most_times_shared * image.size());
  std::size_t left = most_times_shared * image.size();
  std::vector<ElfSection> sections;
  for (const Elf64_Shdr& header : headers) {
    const auto name = WARPCLOCK_TRY(names.at(header.sh_name));
    ElfSection& section = sections.emplace_back(name, header.sh_type, header.sh_info, header.sh_flags, header.sh_size);
    section.bytes = WARPCLOCK_TRY(content_of(image, header, left));
  }
  return sections;
}

Expected<std::size_t> symbol_index(std::string_view image, const std::string& name) {
  const auto sections = WARPCLOCK_TRY(elf_sections(image));
  const auto symbols = std::ranges::find(sections, SHT_SYMTAB, &ElfSection::type);
  const auto names = std::ranges::find(sections, ".strtab", &ElfSection::name);
  if (symbols == sections.end() || names == sections.end()) return broken("it has no symbols");
  StringTable table(names->bytes, most_times_shared * image.size());
  for (std::size_t i = 0; i < symbols->bytes.size() / sizeof(Elf64_Sym); ++i) {
    const auto symbol = struct_at<Elf64_Sym>(symbols->bytes, i * sizeof(Elf64_Sym));
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
    if (WARPCLOCK_TRY(table.at(symbol->st_name)) == name) return i;
  }
  return broken("it has no function of this name");
}

Expected<std::vector<CodeSection>> code_sections(std::string_view image) {
  const auto sections = WARPCLOCK_TRY(elf_sections(image));
  constexpr std::string_view prefix = ".text.";
  std::vector<CodeSection> all;
  std::map<std::uint64_t, std::size_t> by_index;
  for (std::uint64_t i = 0; i < sections.size(); ++i) {
    if (sections[i].type != SHT_PROGBITS || !sections[i].name.starts_with(prefix)) continue;
    if (sections[i].bytes.size() != sections[i].size) return broken("machine code is outside of it");
    by_index.emplace(i, all.size());
    all.push_back({std::string(sections[i].name.substr(prefix.size())), sections[i].bytes});
  }
  for (const ElfSection& section : sections) {
    if ((section.type != SHT_REL && section.type != SHT_RELA) || section.size == 0) continue;
    if (const auto changed = by_index.find(section.info); changed != by_index.end())
      all[changed->second].relocated = true;
  }
  return all;
}

Expected<std::string> without_code_of(std::string_view image, const std::set<std::string>& functions) {
  std::string made(image);
  for (const CodeSection& section : WARPCLOCK_TRY(code_sections(image))) {
    if (functions.contains(section.kernel))
      made.replace(static_cast<std::size_t>(section.code.data() - image.data()), section.code.size(),
                   section.code.size(), '\0');
  }
  return made;
}

}  // namespace warpclock

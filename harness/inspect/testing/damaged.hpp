#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "code/elf.hpp"

namespace warpclock::testing {

/// A file that cannot be read, and what is said of it.
struct DamagedFile {
  std::string name, bytes, says;
};

/// A cubin with another file header.
inline std::string with_header(std::string cubin, const std::function<void(Elf64_Ehdr&)>& change) {
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof(header));
  change(header);
  std::memcpy(cubin.data(), &header, sizeof(header));
  return cubin;
}

/// A cubin with other headers of the sections whose names begin so.
inline std::string with_sections(std::string cubin, std::string_view prefix,
                                 const std::function<void(Elf64_Shdr&)>& change) {
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof(header));
  std::vector<std::string> names;
  const auto sections = elf_sections(cubin).value();
  for (const ElfSection& section : sections) names.emplace_back(section.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].starts_with(prefix)) continue;
    Elf64_Shdr section;
    char* const at = cubin.data() + header.e_shoff + i * sizeof(section);
    std::memcpy(&section, at, sizeof(section));
    change(section);
    std::memcpy(at, &section, sizeof(section));
  }
  return cubin;
}

/// What truncation, a bad disk or malice make of a cubin.
inline std::vector<DamagedFile> damaged_files(const std::string& cubin) {
  const std::string outside = "a section header is outside of it", layout = "it is not laid out as",
                    code = "machine code is outside of it", symbols = "it has no symbols",
                    disassembler = "nvdisasm ended";
  constexpr std::uint64_t far = std::uint64_t{1} << 60;
  const auto header = [&](const std::function<void(Elf64_Ehdr&)>& change) { return with_header(cubin, change); };
  const auto sections = [&](std::string_view prefix, const std::function<void(Elf64_Shdr&)>& change) {
    return with_sections(cubin, prefix, change);
  };
  return {
      {"empty", "", "the file is empty"},
      {"magic alone", cubin.substr(0, 4), "there is no CUDA code in this program or library"},
      {"header cut", cubin.substr(0, 63), "there is no CUDA code in this program or library"},
      {"header alone", cubin.substr(0, 64), outside},
      {"first half", cubin.substr(0, cubin.size() / 2), outside},
      {"32 bits", header([](Elf64_Ehdr& file) { file.e_ident[EI_CLASS] = ELFCLASS32; }), layout},
      {"big-endian", header([](Elf64_Ehdr& file) { file.e_ident[EI_DATA] = ELFDATA2MSB; }), layout},
      {"small section headers", header([](Elf64_Ehdr& file) { file.e_shentsize = 1; }), layout},
      {"section headers far", header([](Elf64_Ehdr& file) { file.e_shoff = far; }), outside},
      {"section headers wrap", header([](Elf64_Ehdr& file) { file.e_shoff = ~0ULL - 63; }), outside},
      {"section headers at 0", header([](Elf64_Ehdr& file) { file.e_shoff = 0; }), "the cubin cannot be read"},
      {"many sections", header([](Elf64_Ehdr& file) { file.e_shnum = 0xffff; }), outside},
      {"no sections", header([](Elf64_Ehdr& file) { file.e_shnum = 0; }), "there are no section names"},
      {"names elsewhere", header([](Elf64_Ehdr& file) { file.e_shstrndx = 0xfff0; }), "there are no section names"},
      {"name far", sections(".text.", [](Elf64_Shdr& one) { one.sh_name = ~0U; }),
       "a name is outside of the section of names"},
      {"code far", sections(".text.", [](Elf64_Shdr& one) { one.sh_offset = far; }), code},
      {"code huge", sections(".text.", [](Elf64_Shdr& one) { one.sh_size = ~0ULL; }), code},
      {"code empty", sections(".text.", [](Elf64_Shdr& one) { one.sh_size = 0; }), disassembler},
      {"code odd", sections(".text.", [](Elf64_Shdr& one) { one.sh_size = 24; }), disassembler},
      {"no code", sections(".text.", [](Elf64_Shdr& one) { one.sh_type = SHT_NULL; }), "there is no kernel in it"},
      {"stripped", sections(".symtab", [](Elf64_Shdr& one) { one.sh_size = 0; }), symbols},
      {"symbols far", sections(".symtab", [](Elf64_Shdr& one) { one.sh_offset = far; }), symbols},
      {"names of symbols nowhere", sections(".symtab", [](Elf64_Shdr& one) { one.sh_link = ~0U; }), disassembler},
      {"ring of sections", sections("", [](Elf64_Shdr& one) { one.sh_link = one.sh_info = 1; }), disassembler},
      {"facts cut", sections(".nv.info", [](Elf64_Shdr& one) { one.sh_size = 5; }), "an attribute of a kernel is cut"},
  };
}

}  // namespace warpclock::testing

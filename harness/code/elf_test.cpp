#include "code/elf.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

struct Section {
  std::string name;
  std::uint32_t type = SHT_PROGBITS;
  std::string content;
  std::uint32_t info = 0;
};

template <class Header>
std::string bytes_of(const Header& header) {
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

/// An image with these sections. Their names are in a section of their own, the last one.
std::string image_of(std::vector<Section> parts) {
  std::string names("\0", 1), bodies;
  parts.insert(parts.begin(), Section{"", SHT_NULL, "", 0});
  parts.push_back({".shstrtab", SHT_STRTAB, "", 0});
  std::vector<Elf64_Shdr> headers;
  for (const Section& part : parts) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    names += part.name + std::string(1, '\0');
    header.sh_type = part.type;
    header.sh_info = part.info;
    header.sh_offset = sizeof(Elf64_Ehdr) + bodies.size();
    header.sh_size = part.content.size();
    bodies += part.content;
    headers.push_back(header);
  }
  headers.back().sh_size = names.size();
  bodies += names;
  Elf64_Ehdr file{};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_ident[EI_DATA] = ELFDATA2LSB;
  file.e_shentsize = sizeof(Elf64_Shdr);
  file.e_shoff = sizeof(Elf64_Ehdr) + bodies.size();
  file.e_shnum = static_cast<Elf64_Half>(headers.size());
  file.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::string image = bytes_of(file) + bodies;
  for (const Elf64_Shdr& header : headers) image += bytes_of(header);
  return image;
}

const std::string one(16, '1'), two(32, '2');

std::string small_image() {
  return image_of({{".nv.info", SHT_PROGBITS, "whatever", 0},
                   {".text.first", SHT_PROGBITS, one, 0},
                   {".text.second", SHT_PROGBITS, two, 0},
                   {".rela.text.first", SHT_RELA, "", 2},
                   {".rela.text.second", SHT_RELA, std::string(24, 'r'), 3}});
}

TEST(CodeSections, AreThoseOfKernelsInOrder) {
  const std::string image = small_image();
  const auto sections = must(code_sections(image));
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].kernel, "first");
  EXPECT_EQ(sections[0].code, one);
  EXPECT_EQ(sections[1].kernel, "second");
  EXPECT_EQ(sections[1].code, two);
}

TEST(CodeSections, TellWhatTheLoaderChanges) {
  const std::string image = small_image();
  const auto sections = must(code_sections(image));
  EXPECT_FALSE(sections[0].relocated) << "its table is empty";
  EXPECT_TRUE(sections[1].relocated);
}

TEST(CodeSections, RefuseWhatIsNoCubin) {
  for (std::string wrong : {std::string(),
                            std::string("\x7f"
                                        "ELF"),
                            std::string(200, 'x')}) {
    EXPECT_EQ(failure_of(code_sections(wrong)).code, "elf");
  }
  std::string other = small_image();
  other[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(code_sections(other));
}

/// The text of the error of an image whose first `shared` sections have this name, stored once, and this content.
std::string why_sharing(std::size_t shared, const std::string& name, const std::string& content = "") {
  std::string image = image_of({{name, SHT_PROGBITS, content, 0}});
  Elf64_Ehdr file;
  std::memcpy(&file, image.data(), sizeof(file));
  const std::string first = image.substr(file.e_shoff + sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
  for (std::size_t i = 1; i < shared; ++i) image += first;
  file.e_shnum = static_cast<Elf64_Half>(file.e_shnum + shared - 1);
  image.replace(0, sizeof(file), bytes_of(file));
  return failure_of(elf_sections(image)).text;
}

// Thousands of sections may refer to the same bytes: without limits, a small file would become gigabytes.
TEST(ElfSections, AreBoundedByTheImage) {
  EXPECT_THAT(why_sharing(1, ".text." + std::string(most_name_bytes, 'k')), HasSubstr("a name is longer than 64 KiB"));
  EXPECT_THAT(why_sharing(500, ".text." + std::string(most_name_bytes - 100, 'k')),
              HasSubstr("its names together are longer than four times the file"));
  EXPECT_THAT(why_sharing(500, ".nv.info.k", std::string(100'000, 'x')),
              HasSubstr("its sections overlap: together they are larger than four times the file"));
}

// For sm_100, ptxas writes some sections twice in one place.
TEST(ElfSections, MayShareTheirBytes) {
  std::string image = image_of({{".nv.global.init", SHT_PROGBITS, std::string(100'000, 'x'), 0},
                                {".nv.merc.nv.global.init", SHT_PROGBITS, std::string(100'000, 'x'), 0}});
  Elf64_Ehdr file;
  std::memcpy(&file, image.data(), sizeof(file));
  Elf64_Shdr second;
  std::memcpy(&second, image.data() + file.e_shoff + 2 * sizeof(second), sizeof(second));
  second.sh_offset -= second.sh_size;
  image.replace(file.e_shoff + 2 * sizeof(second), sizeof(second), bytes_of(second));
  const auto sections = must(elf_sections(image));
  EXPECT_EQ(sections[1].bytes.data(), sections[2].bytes.data());
}

TEST(StringTable, SaysWhatIsWrongWithAName) {
  const std::string_view bytes("\0one\0open", 9);
  StringTable table(bytes, 5);
  EXPECT_EQ(must(table.at(1)), "one");
  EXPECT_EQ(must(table.at(0)), "");
  EXPECT_THAT(failure_of(table.at(1)), IsError("elf", HasSubstr("longer than four times the file")));
  EXPECT_THAT(failure_of(table.at(5)), IsError("elf", HasSubstr("a name has no end")));
  EXPECT_THAT(failure_of(table.at(9)), IsError("elf", HasSubstr("a name is outside")));
}

TEST(CodeSections, StayWithinEveryTruncatedOrGarbledImage) {
  const std::string good = small_image();
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(code_sections(good.substr(0, size))) << size;
  std::mt19937 random(1);
  int refused = 0, read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string image = good;
    for (std::uint32_t edits = 1 + random() % 4; edits > 0; --edits) {
      // Most edits hit the headers, where a wrong number does the most harm.
      const bool file = random() % 2 == 0;
      const std::size_t at =
          file ? random() % sizeof(Elf64_Ehdr) : image.size() - 1 - random() % (7 * sizeof(Elf64_Shdr));
      image[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    const auto sections = code_sections(image);
    ++(sections ? read : refused);
    if (!sections) continue;
    for (const CodeSection& section : *sections) {
      EXPECT_GE(section.code.data(), image.data());
      EXPECT_LE(section.code.data() + section.code.size(), image.data() + image.size());
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace warpclock

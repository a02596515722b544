#include "inspect/image/fat_binary.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace warpclock {
namespace {

/// As the file has them; all numbers are little-endian.
struct ContainerHeader {
  std::uint32_t magic = 0;
  std::uint16_t version = 0, header_bytes = 0;
  std::uint64_t bytes = 0;  ///< of the entries
};
struct EntryHeader {
  std::uint16_t kind = 0, version = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t bytes = 0;   ///< of the payload, padded
  std::uint32_t packed = 0;  ///< bytes of the payload without padding, if it is packed
  std::uint32_t options = 0;
  std::uint16_t minor = 0, major = 0;
  std::uint32_t sm = 0, name = 0, name_bytes = 0;
  std::uint64_t flags = 0, zero = 0, unpacked = 0;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 64);

constexpr std::string_view magic("\x50\xED\x55\xBA", 4);
constexpr std::uint16_t ptx_kind = 1, elf_kind = 2;
constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000, specific_flag = 0x100000;

std::unexpected<Error> broken_at(std::size_t offset, const char* what) {
  return fail("fat-binary", fmt::format("the fat binary cannot be read: {}", what),
              fmt::format("offset {:#x}", offset));
}

template <class Header>
std::optional<Header> header_in(std::string_view file, std::size_t offset) {
  Header header;
  if (offset > file.size() || sizeof(header) > file.size() - offset) return std::nullopt;
  std::memcpy(&header, file.data() + offset, sizeof(header));
  return header;
}

FatEntry entry_of(const EntryHeader& header, std::string_view payload) {
  FatEntry entry;
  entry.ptx = header.kind == ptx_kind;
  entry.arch = {static_cast<int>(header.sm), (header.flags & specific_flag) != 0};
  entry.bytes = payload;
  entry.size = payload.size();
  if ((header.flags & lz4_flag) != 0) entry.packing = FatEntry::Packing::Lz4;
  if ((header.flags & zstd_flag) != 0) entry.packing = FatEntry::Packing::Zstd;
  if (entry.packing == FatEntry::Packing::None) return entry;
  entry.bytes = payload.substr(0, header.packed);
  entry.size = header.unpacked;
  return entry;
}

/// Reads the entries of one fat binary, which begin at `at` and end at `end`.
Expected<void> read_entries(std::string_view file, std::size_t at, std::size_t end, std::vector<FatEntry>& entries) {
  while (at < end) {
    const auto header = header_in<EntryHeader>(file.substr(0, end), at);
    if (!header || header->header_bytes < sizeof(EntryHeader) || header->header_bytes > end - at)
      return broken_at(at, "the header of an entry is cut short");
    const std::size_t payload = at + header->header_bytes;
    if (header->bytes > end - payload) return broken_at(at, "an entry reaches beyond its end");
    if (header->packed > header->bytes) return broken_at(at, "an entry states more bytes than it has");
    const bool known = header->kind == ptx_kind || header->kind == elf_kind;
    if (known) entries.push_back(entry_of(*header, file.substr(payload, header->bytes)));
    at = payload + header->bytes;
  }
  return {};
}

}  // namespace

Expected<std::vector<FatEntry>> fat_entries(std::string_view file) {
  std::vector<FatEntry> entries;
  for (std::size_t at = file.find(magic); at != file.npos; at = file.find(magic, at)) {
    const auto header = header_in<ContainerHeader>(file, at);
    // The four bytes may also be in other data, as in the code of CUDA's own libraries.
    if (!header || header->version != 1 || header->header_bytes != sizeof(ContainerHeader)) {
      at += magic.size();
      continue;
    }
    const std::size_t begin = at + sizeof(ContainerHeader);
    if (header->bytes > file.size() - begin) return broken_at(at, "the file ends before it does");
    WARPCLOCK_TRY(read_entries(file, begin, begin + header->bytes, entries));
    at = begin + header->bytes;
  }
  return entries;
}

Expected<std::string> unpacked(const FatEntry& entry) {
  switch (entry.packing) {
    case FatEntry::Packing::Lz4:
      return unpack_lz4(entry.bytes, entry.size);
    case FatEntry::Packing::Zstd:
      return unpack_zstd(entry.bytes, entry.size);
    case FatEntry::Packing::None:
      break;
  }
  return std::string(entry.bytes);
}

}  // namespace warpclock

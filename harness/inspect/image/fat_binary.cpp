#include "inspect/image/fat_binary.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "code/elf.hpp"

namespace warpclock {
namespace {

std::unexpected<Error> damaged() {
  return fail("fat-binary", "an entry of the fat binary does not unpack to the size that it states: it is damaged");
}

/// The bytes of an LZ4 block that are still to be read.
class Lz4Input {
 public:
  explicit Lz4Input(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::optional<std::string_view> take(std::size_t count) {
    if (count > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::optional<std::size_t> byte() {
    const auto taken = take(1);
    return taken ? std::optional<std::size_t>(static_cast<unsigned char>(taken->front())) : std::nullopt;
  }
  /// Four bits of a token, and the bytes that follow if all of them are set.
  std::optional<std::size_t> length(std::size_t bits) {
    constexpr std::size_t more = 15, full = 255;
    std::size_t sum = bits;
    for (std::size_t next = full; bits == more && next == full;) {
      const auto read = byte();
      if (!read) return std::nullopt;
      sum += next = *read;
    }
    return sum;
  }

 private:
  std::string_view rest_;
};

/// One sequence: literals, then a match unless the block ends. False if the block is damaged.
bool read_sequence(Lz4Input& input, std::string& out, std::size_t size) {
  constexpr std::size_t shortest_match = 4;
  const auto token = input.byte();
  const auto literals = token ? input.length(*token >> 4) : std::nullopt;
  const auto text = literals ? input.take(*literals) : std::nullopt;
  if (!text || text->size() > size - out.size()) return false;
  out += *text;
  if (input.empty()) return true;
  const auto low = input.byte(), high = input.byte();
  const auto length = low && high ? input.length(*token & 15) : std::nullopt;
  if (!length) return false;
  const std::size_t offset = *low | *high << 8;
  if (offset == 0 || offset > out.size() || *length + shortest_match > size - out.size()) return false;
  // The match may reach into what it writes.
  for (std::size_t i = 0; i < *length + shortest_match; ++i) out += out[out.size() - offset];
  return true;
}

using Decompress = std::size_t (*)(void* to, std::size_t room, const void* from, std::size_t bytes);

/// Null if there is no such library.
Decompress zstd() {
  static const Decompress function = [] {
    void* library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress"));
  }();
  return function;
}

}  // namespace

Expected<std::string> unpack_lz4(std::string_view block, std::size_t size) {
  if (size > most_unpacked) return damaged();
  std::string out;
  for (Lz4Input input(block); !input.empty();) {
    if (!read_sequence(input, out, size)) return damaged();
  }
  if (out.size() != size) return damaged();
  return out;
}

Expected<std::string> unpack_zstd(std::string_view frames, std::size_t size) {
  // Machine code packs to a few percent. A larger ratio is a small file that asks for much memory.
  constexpr std::size_t most_ratio = 4096;
  if (size > most_unpacked || size / most_ratio > frames.size()) return damaged();
  const Decompress decompress = zstd();
  if (decompress == nullptr) {
    return fail("fat-binary",
                "an entry is packed by Zstandard, and there is no libzstd.so.1 to unpack it: install libzstd1, or "
                "compile with nvcc --compress-mode=speed");
  }
  std::string out(size, '\0');
  // Errors are numbers near the largest one, so they differ from the size too.
  if (decompress(out.data(), out.size(), frames.data(), frames.size()) != size) return damaged();
  return out;
}

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
    const auto header = struct_at<EntryHeader>(file.substr(0, end), at);
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
    const auto header = struct_at<ContainerHeader>(file, at);
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

#include <dlfcn.h>

#include <optional>

#include "inspect/image/fat_binary.hpp"

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

}  // namespace warpclock

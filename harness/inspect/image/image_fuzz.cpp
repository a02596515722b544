// libFuzzer: any bytes as a file with fat binaries, as packed entries, and as a cubin. Built with -DWARPCLOCK_FUZZ=ON
// and clang++; see cmake/fuzz.cmake.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inspect/image/fat_binary.hpp"
#include "inspect/image/kernel_facts.hpp"

namespace {

using namespace warpclock;

void require(bool held) {
  if (!held) std::abort();
}

void read_fat(std::string_view file) {
  const auto entries = fat_entries(file);
  if (!entries) return;
  for (const FatEntry& entry : *entries) {
    require(entry.bytes.data() >= file.data() && entry.bytes.end() <= file.end());
    if (entry.size > 1 << 20) continue;
    if (const auto bytes = unpacked(entry)) {
      require(bytes->size() == entry.size);
      static_cast<void>(kernel_facts(*bytes));
    }
  }
}

/// The first two bytes are the size.
void unpack(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const std::size_t size = static_cast<unsigned char>(bytes[0]) | static_cast<std::size_t>(bytes[1] & 0x3f) << 8;
  if (const auto out = unpack_lz4(bytes.substr(2), size)) require(out->size() == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_fat(bytes);
  unpack(bytes);
  static_cast<void>(kernel_facts(bytes));
  return 0;
}

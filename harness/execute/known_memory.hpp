#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "execute/forms/lanes.hpp"
#include "execute/launch.hpp"

namespace warpclock {

/// The address of shared memory has the rank of its block in the cluster above these bits.
inline constexpr std::uint64_t shared_mask = (std::uint64_t{1} << 24U) - 1;
constexpr std::uint32_t shared_rank(std::uint64_t address) {
  return static_cast<std::uint32_t>(address >> 24U & 0xffU);
}
/// The address at the same place in the block of a rank.
constexpr std::uint64_t ranked_shared(std::uint32_t rank, std::uint64_t address) {
  return (address & shared_mask) | std::uint64_t{rank} << 24U;
}

/// Up to four bytes, if they are known. A compiler returns std::optional of it through memory, to which it writes two
/// parts and reads both at once: a tenth of the time of a run.
struct KnownWord {
  std::uint32_t value = 0;  ///< 0 where it is not known
  bool known = false;

  explicit operator bool() const { return known; }
  friend bool operator==(const KnownWord&, const KnownWord&) = default;
};

inline KnownWord known_word(std::uint32_t value) { return {value, true}; }

/// Bytes of which each is known or not.
class KnownBytes {
 public:
  explicit KnownBytes(std::size_t size = 0) : bytes_(size), known_(size) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// Up to four bytes, not known if one of them is not, or is outside.
  [[nodiscard]] KnownWord read(std::size_t at, std::size_t count) const {
    if (at + count > bytes_.size()) return {};
    if (!is_word(count)) return read_bytes(at, count);
    std::uint32_t known = 0, value = 0;
    std::memcpy(&known, known_.data() + at, sizeof known);
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return known == all_known ? known_word(value) : KnownWord();
  }
  void write(std::size_t at, std::size_t count, KnownWord word) {
    if (at + count > bytes_.size()) return;
    written_ = std::max(written_, at + count);
    if (!is_word(count)) return write_bytes(at, count, word);
    const std::uint32_t known = word.known ? all_known : 0;
    std::memcpy(known_.data() + at, &known, sizeof known);
    std::memcpy(bytes_.data() + at, &word.value, sizeof word.value);
  }
  /// Known bytes, none of which is outside.
  void write(std::size_t at, std::string_view bytes);
  /// None is known any more.
  void forget() {
    std::fill_n(known_.begin(), written_, std::uint8_t{0});
    written_ = 0;
  }

 private:
  static constexpr std::uint32_t all_known = 0x01010101;
  static constexpr bool is_word(std::size_t count) {
    return count == sizeof(std::uint32_t) && std::endian::native == std::endian::little;
  }
  [[nodiscard]] KnownWord read_bytes(std::size_t at, std::size_t count) const;
  void write_bytes(std::size_t at, std::size_t count, KnownWord word);

  std::vector<std::uint8_t> bytes_, known_;
  std::size_t written_ = 0;  ///< the end of what has been written
};

/// The buffers of a launch. Their pages are made when they are first asked for.
class GlobalMemory {
 public:
  explicit GlobalMemory(const ExecutedLaunch& launch) : launch_(launch) {}

  /// The buffer that all of these bytes are in; null if there is none.
  [[nodiscard]] const LaunchBuffer* buffer_at(std::uint64_t address, std::uint64_t bytes) const;
  /// Up to four bytes in a buffer.
  [[nodiscard]] KnownWord read(std::uint64_t address, std::size_t count) {
    if (forgotten_ || address % page_bytes + count > page_bytes) return {};
    const KnownBytes* const page = page_of(address, false);
    return page == nullptr ? KnownWord() : page->read(address % page_bytes, count);
  }
  void write(std::uint64_t address, std::size_t count, KnownWord word) {
    if (!forgotten_ && address % page_bytes + count <= page_bytes)
      page_of(address, true)->write(address % page_bytes, count, word);
  }
  /// Nothing that buffers hold is known any more.
  void forget() { forgotten_ = true; }
  /// Whether more pages are in use than a run may have.
  [[nodiscard]] bool too_large() const { return pages_.size() > most_pages; }

 private:
  static constexpr std::size_t page_bytes = 4096, most_pages = std::size_t{1} << 16;
  /// Null if nothing of it is known and it is not to be made.
  KnownBytes* page_of(std::uint64_t address, bool make) {
    const std::uint64_t begin = address / page_bytes * page_bytes;
    if (begin != last_begin_ || (last_page_ == nullptr && make)) find_page(begin, make);
    return last_page_;
  }
  void find_page(std::uint64_t begin, bool make);
  [[nodiscard]] bool is_filled(std::uint64_t begin) const;
  KnownBytes& made_page(std::uint64_t begin);
  /// What a buffer holds between two addresses of a page.
  void fill(KnownBytes& page, const LaunchBuffer& buffer, std::uint64_t first, std::uint64_t last);

  const ExecutedLaunch& launch_;
  bool forgotten_ = false;
  std::uint64_t last_begin_ = 1;     ///< none begins there
  KnownBytes* last_page_ = nullptr;  ///< the page at `last_begin_`, if it is made; pages stay where they are
  std::unordered_map<std::uint64_t, KnownBytes> pages_;
  std::map<std::uint64_t, std::vector<std::byte>> patterns_;  ///< of buffers whose contents repeat, by their address
};

/// The local memory of a warp's threads, by words.
class LocalMemory {
 public:
  struct Word {
    Words words = same_words(0);
    LaneMask known = 0;
  };
  Word& at(std::uint32_t address) { return words_[address / 4]; }
  void clear() { words_.clear(); }
  [[nodiscard]] bool too_large() const { return words_.size() > most_words; }

 private:
  static constexpr std::size_t most_words = std::size_t{1} << 17;
  std::unordered_map<std::uint32_t, Word> words_;
};

}  // namespace warpclock

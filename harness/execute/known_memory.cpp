#include "execute/known_memory.hpp"

#include <algorithm>
#include <cstring>

namespace warpclock {

KnownWord KnownBytes::read_bytes(std::size_t at, std::size_t count) const {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (known_[at + k] == 0) return {};
    value |= std::uint32_t{bytes_[at + k]} << 8 * k;
  }
  return known_word(value);
}

void KnownBytes::write_bytes(std::size_t at, std::size_t count, KnownWord word) {
  for (std::size_t k = 0; k < count; ++k) {
    known_[at + k] = word.known ? 1 : 0;
    bytes_[at + k] = static_cast<std::uint8_t>(word.value >> 8 * k);
  }
}

void KnownBytes::write(std::size_t at, std::string_view bytes) {
  written_ = std::max(written_, at + bytes.size());
  std::memcpy(bytes_.data() + at, bytes.data(), bytes.size());
  std::memset(known_.data() + at, 1, bytes.size());
}

const LaunchBuffer* GlobalMemory::buffer_at(std::uint64_t address, std::uint64_t bytes) const {
  for (const LaunchBuffer& one : launch_.buffers) {
    const auto size = static_cast<std::uint64_t>(one.bytes);
    if (address >= one.address && address - one.address < size && bytes <= size - (address - one.address)) return &one;
  }
  return nullptr;
}

void GlobalMemory::find_page(std::uint64_t begin, bool make) {
  last_begin_ = begin;
  const auto found = pages_.find(begin);
  last_page_ = found != pages_.end() ? &found->second : make || is_filled(begin) ? &made_page(begin) : nullptr;
}

bool GlobalMemory::is_filled(std::uint64_t begin) const {
  return std::ranges::any_of(launch_.buffers, [&](const LaunchBuffer& one) {
    const std::uint64_t end = one.address + static_cast<std::uint64_t>(one.bytes);
    return (one.fill || !one.contents.empty()) && one.address < begin + page_bytes && begin < end;
  });
}

KnownBytes& GlobalMemory::made_page(std::uint64_t begin) {
  const auto found = pages_.try_emplace(begin, page_bytes).first;
  for (const LaunchBuffer& one : launch_.buffers) {
    const std::uint64_t end = one.address + static_cast<std::uint64_t>(one.bytes);
    const std::uint64_t first = std::max(begin, one.address), last = std::min(begin + page_bytes, end);
    if (first < last) fill(found->second, one, first, last);
  }
  return found->second;
}

void GlobalMemory::fill(KnownBytes& page, const LaunchBuffer& buffer, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t in_page = first % page_bytes, offset = first - buffer.address;
  if (!buffer.contents.empty()) {
    const std::string_view held = buffer.contents;
    const std::uint64_t left = held.size() - std::min<std::uint64_t>(held.size(), offset);
    const std::uint64_t count = buffer.once ? std::min(left, last - first) : last - first;
    for (std::uint64_t k = 0; k < count;) {
      const std::string_view part = held.substr((offset + k) % held.size(), count - k);
      page.write(in_page + k, part);
      k += part.size();
    }
    return;
  }
  if (!buffer.fill) return;
  const auto take = [&](auto&& byte_at) {
    for (std::uint64_t k = 0; k < last - first; ++k) page.write(in_page + k, 1, known_word(byte_at(offset + k)));
  };
  const CallArgument& with = *buffer.fill;
  if (with.fill == CallFill::Iota) {
    const auto size = static_cast<std::uint64_t>(bytes_of(with.type));
    return take([&](std::uint64_t at) {
      const std::uint64_t element = at / size;
      return static_cast<std::uint8_t>(bits_of(with.type, static_cast<double>(element)) >> 8 * (at % size));
    });
  }
  std::vector<std::byte>& pattern = patterns_[buffer.address];
  if (pattern.empty()) pattern = call_pattern(with).value_or(std::vector<std::byte>(1));
  take([&](std::uint64_t at) { return std::to_integer<std::uint8_t>(pattern[at % pattern.size()]); });
}

}  // namespace warpclock

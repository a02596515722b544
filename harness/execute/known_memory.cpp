#include "execute/known_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpclock {

std::optional<std::uint32_t> KnownBytes::read(std::size_t at, std::size_t count) const {
  if (at + count > bytes_.size()) return std::nullopt;
  std::uint32_t value = 0;
  if (count == sizeof value && std::endian::native == std::endian::little) {
    constexpr std::uint32_t all_known = 0x01010101;
    std::uint32_t known = 0;
    std::memcpy(&known, known_.data() + at, sizeof known);
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return known == all_known ? std::optional(value) : std::nullopt;
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (known_[at + k] == 0) return std::nullopt;
    value |= std::uint32_t{bytes_[at + k]} << 8 * k;
  }
  return value;
}

void KnownBytes::write(std::size_t at, std::size_t count, std::optional<std::uint32_t> value) {
  if (at + count > bytes_.size()) return;
  for (std::size_t k = 0; k < count; ++k) {
    known_[at + k] = value ? 1 : 0;
    bytes_[at + k] = static_cast<std::uint8_t>(value.value_or(0) >> 8 * k);
  }
}

const LaunchBuffer* GlobalMemory::buffer_at(std::uint64_t address, std::uint64_t bytes) const {
  for (const LaunchBuffer& one : launch_.buffers) {
    const auto size = static_cast<std::uint64_t>(one.bytes);
    if (address >= one.address && address - one.address < size && bytes <= size - (address - one.address)) return &one;
  }
  return nullptr;
}

KnownBytes& GlobalMemory::page_of(std::uint64_t address) {
  const std::uint64_t begin = address / page_bytes * page_bytes;
  if (begin == last_begin_ && last_page_ != nullptr) return *last_page_;
  last_begin_ = begin;
  last_page_ = &made_page(begin, address);
  return *last_page_;
}

KnownBytes& GlobalMemory::made_page(std::uint64_t begin, std::uint64_t address) {
  const auto found = pages_.find(begin);
  if (found != pages_.end()) return found->second;
  const LaunchBuffer* const buffer = buffer_at(address, 1);
  const bool filled = buffer != nullptr && (buffer->fill || !buffer->contents.empty());
  KnownBytes& page = pages_.emplace(begin, KnownBytes(page_bytes, filled)).first->second;
  if (!filled) return page;
  const std::uint64_t offset = begin - buffer->address;
  if (!buffer->contents.empty()) {
    const std::string& held = buffer->contents;
    for (std::size_t k = 0; k < page_bytes;) {
      const std::size_t from = (offset + k) % held.size(), some = std::min(page_bytes - k, held.size() - from);
      std::memcpy(page.bytes().data() + k, held.data() + from, some);
      k += some;
    }
    return page;
  }
  const CallArgument& fill = *buffer->fill;
  if (fill.fill == CallFill::Iota) {
    const auto size = static_cast<std::uint64_t>(bytes_of(fill.type));
    for (std::uint64_t k = 0; k < page_bytes; k += size) {
      const std::uint64_t element = (offset + k) / size;
      const std::uint64_t bits = bits_of(fill.type, static_cast<double>(element));
      std::memcpy(page.bytes().data() + k, &bits, size);
    }
    return page;
  }
  std::vector<std::byte>& pattern = patterns_[buffer->address];
  if (pattern.empty()) pattern = call_pattern(fill).value_or(std::vector<std::byte>(1));
  for (std::size_t k = 0; k < page_bytes; ++k)
    page.bytes()[k] = std::to_integer<std::uint8_t>(pattern[(offset + k) % pattern.size()]);
  return page;
}

std::optional<std::uint32_t> GlobalMemory::read(std::uint64_t address, std::size_t count) {
  if (forgotten_ || address % page_bytes + count > page_bytes) return std::nullopt;
  return page_of(address).read(address % page_bytes, count);
}

void GlobalMemory::write(std::uint64_t address, std::size_t count, std::optional<std::uint32_t> value) {
  if (!forgotten_ && address % page_bytes + count <= page_bytes)
    page_of(address).write(address % page_bytes, count, value);
}

}  // namespace warpclock

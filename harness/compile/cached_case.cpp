#include "compile/cached_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/hash.hpp"
#include "code/elf.hpp"

namespace warpclock {
namespace {

constexpr std::string_view magic = "warpclock case 2\n";

// Length-prefixed fields: "12 twelve bytes\n".
void put(std::string& to, std::string_view field) { to.append(fmt::format("{} ", field.size())).append(field) += '\n'; }

std::optional<std::string> take(std::string_view& from) {
  std::size_t size = 0;
  const auto read = std::from_chars(from.data(), from.data() + from.size(), size);
  if (read.ec != std::errc{}) return std::nullopt;
  from.remove_prefix(static_cast<std::size_t>(read.ptr - from.data()));
  if (from.size() < 2 || size > from.size() - 2 || from[0] != ' ' || from[size + 1] != '\n') return std::nullopt;
  std::string field(from.substr(1, size));
  from.remove_prefix(size + 2);
  return field;
}

std::optional<std::int64_t> take_number(std::string_view& from) {
  const auto field = take(from);
  std::int64_t number = 0;
  if (!field || std::from_chars(field->data(), field->data() + field->size(), number).ec != std::errc{}) return {};
  return number;
}

bool is_code(const Listing& listing, const std::vector<Word>& words) {
  return std::ranges::equal(listing.instructions, words, [](const Instruction& one, const Word& word) {
    return Word{one.low, one.high} == word;
  });
}

}  // namespace

std::string serialized(const std::string& key, const CachedCase& entry) {
  std::string body;
  put(body, key);
  put(body, entry.image);
  put(body, std::to_string(entry.kernels.size()));
  for (const auto& [n, symbol] : entry.kernels) {
    put(body, std::to_string(n));
    put(body, symbol);
  }
  put(body, entry.ptx);
  put(body, entry.listing);
  return fmt::format("{}{}\n{}", magic, hash_hex(body), body);
}

std::optional<CachedCase> deserialized(const std::string& key, std::string_view text) {
  if (!text.starts_with(magic)) return std::nullopt;
  text.remove_prefix(magic.size());
  const auto end = text.find('\n');
  if (end == text.npos || hash_hex(text.substr(end + 1)) != text.substr(0, end)) return std::nullopt;
  text.remove_prefix(end + 1);

  CachedCase entry;
  if (take(text) != key) return std::nullopt;
  const auto image = take(text);
  const auto count = take_number(text);
  if (!image || !count) return std::nullopt;
  entry.image = *image;
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto n = take_number(text);
    auto symbol = take(text);
    if (!n || !symbol) return std::nullopt;
    entry.kernels.emplace_back(*n, std::move(*symbol));
  }
  auto ptx = take(text);
  auto listing = take(text);
  if (!ptx || !listing) return std::nullopt;
  entry.ptx = std::move(*ptx);
  entry.listing = std::move(*listing);
  return entry;
}

Expected<KernelCode> kernel_code(std::string_view image) {
  KernelCode code;
  const auto sections = WARPCLOCK_TRY(code_sections(image));
  for (const CodeSection& section : sections) code.emplace(section.kernel, words_of(section.code));
  return code;
}

Expected<std::vector<Listing>> listings_of_code(std::string_view disassembly, const KernelCode& code) {
  auto listings = WARPCLOCK_TRY(parse_listings(disassembly));
  for (const Listing& listing : listings) {
    const auto kernel = code.find(listing.kernel);
    if (kernel == code.end() || !is_code(listing, kernel->second))
      return fail("listing", fmt::format("the disassembly of {} is not that of its machine code", listing.kernel));
  }
  return listings;
}

}  // namespace warpclock

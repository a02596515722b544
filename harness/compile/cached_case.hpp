#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"

namespace warpclock {

/// The cache entry of one compiled case.
struct CachedCase {
  std::string image;  ///< file name in the cache: the hash of its content, then .cubin or .ptx
  std::vector<std::pair<std::int64_t, std::string>> kernels;  ///< repeat count, symbol in the image
  std::string listing;                                        ///< listings of these kernels, in the form that
                                                              ///< parse_listings() reads
  std::string ptx;                                            ///< window of the smallest repeat count

  bool operator==(const CachedCase&) const = default;
};

/// The file of an entry. It holds its key and the hash of what it holds.
[[nodiscard]] std::string serialized(const std::string& key, const CachedCase& entry);

/// Nothing if the text is damaged, or that of another key.
[[nodiscard]] std::optional<CachedCase> deserialized(const std::string& key, std::string_view text);

/// The machine code of an image's kernels by symbol.
using KernelCode = std::map<std::string, std::vector<Word>, std::less<>>;

/// Error "elf".
[[nodiscard]] Expected<KernelCode> kernel_code(std::string_view image);

/// The listings that a disassembly holds. Error "listing" if it cannot be read, or if an instruction of it is not the
/// one that is in the machine code: what is verified must be what runs.
[[nodiscard]] Expected<std::vector<Listing>> listings_of_code(std::string_view disassembly, const KernelCode& code);

}  // namespace warpclock

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"

namespace warpclock {

/// Keeps bytes in memory until this process ends, however it does. Returns a path under which this process and those
/// that it starts can read them. Bytes of the same name are kept once. Error "io".
[[nodiscard]] Expected<std::string> memory_file(const std::string& name, std::string_view bytes);

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

struct CacheLimits {
  std::uint64_t bytes = std::uint64_t{512} << 20;
  std::chrono::seconds recent{3600};  ///< files used more recently are kept: another process may be about to load them
};

/// An entry that was found, and its listings: none for PTX.
struct FoundCase {
  CachedCase entry;
  std::vector<Listing> listings;
};

/// A folder of small files that any number of processes and threads share. Each case has a file `<key>.case`, which
/// names the `<hash>.cubin` that holds the kernels of its batch. Files appear complete (written under another name,
/// then renamed), and each holds a hash of its content, so that a damaged one counts as missing. The key of a case does
/// not depend on what it is compiled together with.
///
/// The hashes do not protect against someone who writes to the folder. So it is used only if that is this user alone,
/// and so is each of its files; and a listing counts only if its instructions are those in the image.
///
/// What cannot be stored costs time only: images are then kept in the memory of this process.
class Cache {
 public:
  /// `folder` is created if missing, readable by this user alone. If it cannot be used, a folder of this user in the
  /// temporary directory is; if that cannot be used either, none. `warning()` says so.
  [[nodiscard]] static Cache open(const std::string& folder, CacheLimits limits = {});

  /// Empty if there is none.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// What is wrong with the folder, and what is done instead; usually empty.
  [[nodiscard]] std::string warning() const;
  /// Where to read an image.
  [[nodiscard]] std::string path(const std::string& name) const;

  /// The entry, or nothing unless both the case and its image, a file with this ending, are present, intact and of one
  /// another.
  [[nodiscard]] std::optional<FoundCase> find(const std::string& key, std::string_view ending = ".cubin");
  void store(const std::string& key, const CachedCase& entry);

  /// The listings of an entry whose image is stored: none for PTX. Errors "io", and those of listings_of_code().
  [[nodiscard]] Expected<std::vector<Listing>> listings(const CachedCase& entry);

  /// Returns the name under which `bytes` are stored; `ending` is ".cubin" or ".ptx". Error "io" if there is neither
  /// room in the folder nor memory.
  [[nodiscard]] Expected<std::string> store_image(const std::string& bytes, const std::string& ending);

  /// Removes files, the least recently used first, until the folder holds less than the limit.
  void prune();

 private:
  using Image = std::shared_ptr<const KernelCode>;  ///< null if it is missing or damaged

  explicit Cache(CacheLimits limits) : limits_(limits) {}

  [[nodiscard]] Image image(const std::string& name);
  void complain(const Error& error);

  std::string folder_, warning_;
  CacheLimits limits_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  ///< guards the warning and what follows
  std::map<std::string, Image> images_;                                 ///< so that an image is read only once
  std::map<std::string, std::string> in_memory_;                        ///< paths of images that no folder took
};

}  // namespace warpclock

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// What is kept of one compiled case.
struct CachedCase {
  std::string image;  ///< file name in the cache: the hash of its content, then .cubin or .ptx
  std::vector<std::pair<std::int64_t, std::string>> kernels;  ///< repeat count, symbol in the image
  std::string listing;                                        ///< of these kernels, as parse_listings reads it
  std::string ptx;                                            ///< window of the smallest repeat count

  bool operator==(const CachedCase&) const = default;
};

struct CacheLimits {
  std::uint64_t bytes = std::uint64_t{512} << 20;
  std::chrono::seconds recent{3600};  ///< what was used since is kept: another process may be about to load it
};

/// A folder of small files that any number of processes and threads share: `<key>.case`, one a case, which names the
/// `<hash>.cubin` that holds its kernels beside those of its batch mates. Files appear whole (written aside, renamed)
/// and each carries a hash of its content, so that a damaged one counts as missing. A case is found again whatever it
/// is compiled together with. Names only prevent mixing, they are no guard against who can write to the folder.
class Cache {
 public:
  /// `folder` is made when missing. Where it cannot be written a folder of this user below the temporary one is used
  /// and `warning()` says so. Error "io" when that fails too.
  [[nodiscard]] static Expected<Cache> open(const std::string& folder, CacheLimits limits = {});

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] const std::string& warning() const { return warning_; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// Nothing unless the case and its image are there, whole and sound.
  [[nodiscard]] std::optional<CachedCase> find(const std::string& key);
  [[nodiscard]] Expected<void> store(const std::string& key, const CachedCase& entry);

  /// The file name that `bytes` now have; `ending` is ".cubin" or ".ptx".
  [[nodiscard]] Expected<std::string> store_image(const std::string& bytes, const std::string& ending);

  /// Removes files, the ones not used for longest first, until the folder holds less than the limit.
  void prune();

 private:
  Cache(std::string folder, std::string warning, CacheLimits limits)
      : folder_(std::move(folder)), warning_(std::move(warning)), limits_(limits) {}

  bool sound_image(const std::string& name);

  std::string folder_, warning_;
  CacheLimits limits_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  std::map<std::string, bool> images_;  ///< whether an image was found sound, so that it is read once
};

}  // namespace warpclock

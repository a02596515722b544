#include "base/files/paths.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/files/replacement.hpp"
#include "base/process.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

fs::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path{} : fs::path{value};
}

std::unexpected<Error> io_error(std::string_view what, const fs::path& path, const std::error_code& reason) {
  return fail("io", fmt::format("{}: {}", what, reason.message()), path.string());
}

}  // namespace

fs::path cache_dir() {
  if (fs::path own = environment_path("WARPCLOCK_CACHE"); !own.empty()) return own;
  if (const fs::path xdg = environment_path("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "warpclock";
  if (const fs::path home = environment_path("HOME"); home.is_absolute()) return home / ".cache" / "warpclock";
  std::error_code reason;
  const fs::path temporary = fs::temp_directory_path(reason);
  return (reason ? fs::path("/tmp") : temporary) / fmt::format("warpclock-{}", getuid());
}

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

Expected<void> write_file_atomically(const fs::path& path, std::string_view text, Synced synced, mode_t mode) {
  auto next = WARPCLOCK_TRY(Replacement::write(path, text, synced, mode));
  return next.put();
}

Expected<std::map<std::string, std::string>> read_folder(const fs::path& folder,
                                                         std::span<const std::string_view> endings) {
  std::map<std::string, std::string> files;
  std::error_code reason;
  fs::recursive_directory_iterator entry(folder, reason);
  if (reason) return io_error("cannot read the folder", folder, reason);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(reason)) {
    const std::string name = entry->path().filename().string();
    std::error_code gone;
    if (name.starts_with('.')) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(gone) &&
               std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); })) {
      auto text = WARPCLOCK_TRY(read_file(entry->path(), most_text_bytes));
      files.emplace(entry->path().lexically_relative(folder).generic_string(), std::move(text));
    }
  }
  if (reason) return io_error("cannot read the folder", folder, reason);
  return files;
}

}  // namespace warpclock

#include "base/files/paths.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/process.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

fs::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path{} : fs::path{value};
}

std::unexpected<Error> io_error(std::string_view what, const fs::path& path, int number) {
  return fail("io", fmt::format("{}: {}", what, std::strerror(number)), path.string());
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

Expected<std::string> read_file(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return io_error("cannot open", path, errno);
  std::string text;
  struct stat facts {};
  if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) text.reserve(static_cast<std::size_t>(facts.st_size));
  std::string buffer(1 << 16, '\0');
  for (;;) {
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer, 0, static_cast<std::size_t>(count));
    if (count == 0) break;
    if (count < 0 && errno != EINTR) {
      const int number = errno;
      close(file);
      return io_error("cannot read", path, number);
    }
  }
  close(file);
  return text;
}

Expected<void> write_file_atomically(const fs::path& path, std::string_view text, Synced synced) {
  std::error_code reason;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), reason);
  if (reason) return io_error("cannot make its folder", path, reason);

  static std::atomic<unsigned> counter{0};
  fs::path temporary = path;
  temporary += fmt::format(".{}.{}.tmp", getpid(), counter++);
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return io_error("cannot write", path, errno);
  const bool written = write_fully(file, text) && (synced == Synced::No || fsync(file) == 0 || errno == EINVAL);
  int number = written ? 0 : errno;
  if (close(file) != 0 && number == 0) number = errno;
  if (number == 0 && rename(temporary.c_str(), path.c_str()) != 0) number = errno;
  if (number == 0) return {};
  unlink(temporary.c_str());
  return io_error("cannot write", path, number);
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
      auto text = WARPCLOCK_TRY(read_file(entry->path()));
      files.emplace(entry->path().lexically_relative(folder).generic_string(), std::move(text));
    }
  }
  if (reason) return io_error("cannot read the folder", folder, reason);
  return files;
}

}  // namespace warpclock

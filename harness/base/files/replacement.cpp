#include "base/files/replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/files/node.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view begins = ".warpclock-", ends = ".tmp";

std::unexpected<Error> cannot_write(const fs::path& path, int number) {
  return fail("io", fmt::format("cannot write: {}", std::strerror(number)), path.string());
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// Opens a new file of this process beside `path`. Nothing, with errno, if it cannot.
std::optional<fs::path> open_beside(const fs::path& path, mode_t mode, Descriptor& file) {
  constexpr int most_tries = 100;
  for (int tries = 0; tries < most_tries; ++tries) {
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return std::nullopt;
    fs::path name = folder_of(path) / fmt::format("{}{:016x}{}", begins, random, ends);
    file.reset(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file.get() < 0 && errno != EEXIST) return std::nullopt;
    if (file.get() < 0) continue;
    struct stat facts {};
    // Before it was locked, it may have looked like one of a process that died.
    const bool taken = flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && fstat(file.get(), &facts) == 0 && facts.st_nlink > 0) return name;
  }
  errno = EEXIST;
  return std::nullopt;
}

// Some file systems have no such thing, and say EINVAL.
bool sync(int descriptor) { return fsync(descriptor) == 0 || errno == EINVAL; }

bool sync_folder(const fs::path& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Who may write into a folder need not be allowed to read it.
  return folder.get() < 0 ? errno == EACCES : sync(folder.get());
}

bool knows_no_flags(int number) { return number == EINVAL || number == ENOSYS || number == ENOTSUP; }

enum class Moved { Yes, NotAsBefore, CannotTell, Failed };

/// Gives `temporary` the name `path` if that is free.
Moved move_to_free(const fs::path& temporary, const fs::path& path) {
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return Moved::Yes;
  if (errno == EEXIST) return Moved::NotAsBefore;
  return knows_no_flags(errno) ? Moved::CannotTell : Moved::Failed;
}

/// Gives `temporary` the name `path` if that leads to this file. What had the name is looked at after it lost it:
/// nobody can put another file there in between.
Moved move_over(const fs::path& temporary, const fs::path& path, const FileState& before) {
  const auto exchange = [&] {
    return renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0;
  };
  // Until it is removed, nobody may take it for one that a killed process left.
  const Descriptor old(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (old.get() >= 0) flock(old.get(), LOCK_SH | LOCK_NB);
  if (!exchange()) {
    if (errno == ENOENT) return Moved::NotAsBefore;
    return knows_no_flags(errno) ? Moved::CannotTell : Moved::Failed;
  }
  if (file_state(temporary) == before) {
    unlink(temporary.c_str());
    return Moved::Yes;
  }
  return exchange() ? Moved::NotAsBefore : Moved::Failed;
}

}  // namespace

std::optional<FileState> file_state(const fs::path& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return std::nullopt;
  constexpr std::int64_t second = 1'000'000'000;
  return FileState{facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim.tv_sec * second + facts.st_mtim.tv_nsec};
}

Replacement::Replacement(fs::path path, Synced synced) : path_(std::move(path)), synced_(synced) {}

Replacement::Replacement(Replacement&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      synced_(other.synced_),
      file_(std::move(other.file_)),
      in_place_(std::move(other.in_place_)) {}

Replacement::~Replacement() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Expected<Replacement> Replacement::write(const fs::path& path, std::string_view text, Synced synced, mode_t mode) {
  Replacement made(path, synced);
  if (is_written_in_place(path)) {
    made.in_place_ = text;
    return made;
  }
  if (const std::error_code reason = make_folders_on_disk(path.parent_path()))
    return fail("io", fmt::format("cannot make its folder: {}", reason.message()), path.string());
  WARPCLOCK_TRY(made.fill(text, mode));
  return made;
}

Expected<void> Replacement::fill(std::string_view text, mode_t mode) {
  auto name = open_beside(path_, mode, file_);
  if (!name) return cannot_write(path_, errno);
  temporary_ = *std::move(name);
  if (!write_fully(file_.get(), text) || (synced_ == Synced::Yes && !sync(file_.get())))
    return cannot_write(path_, errno);
  return {};
}

Expected<void> Replacement::put() {
  if (temporary_.empty()) return write_in_place(path_, in_place_);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  return finish();
}

Expected<bool> Replacement::put_over(const std::optional<FileState>& before) {
  if (!temporary_.empty()) {
    const Moved moved = before ? move_over(temporary_, path_, *before) : move_to_free(temporary_, path_);
    if (moved == Moved::Failed) return cannot_write(path_, errno);
    if (moved == Moved::Yes) WARPCLOCK_TRY(finish());
    if (moved == Moved::Yes) return true;
    if (moved == Moved::NotAsBefore || file_state(path_) != before) return false;
  }
  WARPCLOCK_TRY(put());
  return true;
}

Expected<void> Replacement::finish() {
  temporary_.clear();
  file_.reset();
  if (synced_ == Synced::No) return {};
  return sync_folder(folder_of(path_)) ? Expected<void>() : cannot_write(path_, errno);
}

std::error_code make_folders_on_disk(const fs::path& folder) {
  std::error_code reason;
  if (folder.empty() || fs::is_directory(folder, reason)) return {};
  if (const std::error_code above = make_folders_on_disk(folder.parent_path())) return above;
  if (fs::create_directory(folder, reason) && !sync_folder(folder_of(folder))) return {errno, std::generic_category()};
  return reason;
}

void remove_leftovers(const fs::path& folder) {
  std::error_code reason;
  for (fs::directory_iterator at(folder, reason), end; !reason && at != end; at.increment(reason)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(begins) || !name.ends_with(ends)) continue;
    const Descriptor file(open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0 && flock(file.get(), LOCK_EX | LOCK_NB) == 0) unlink(at->path().c_str());
  }
}

}  // namespace warpclock

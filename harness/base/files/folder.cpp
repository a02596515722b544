#include "base/files/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/files/file.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

/// Root can change every file anyway.
bool is_trusted(uid_t owner) { return owner == geteuid() || owner == 0; }

Expected<void> make_folders(const fs::path& path) {
  if (path.empty() || mkdir(path.c_str(), S_IRWXU) == 0) return {};
  if (errno == ENOENT && path.has_relative_path() && path.parent_path() != path) {
    WARPCLOCK_TRY(make_folders(path.parent_path()));
    if (mkdir(path.c_str(), S_IRWXU) == 0) return {};
  }
  if (errno == EEXIST) return {};
  return fail("io", fmt::format("cannot make this folder: {}", std::strerror(errno)), path.string());
}

}  // namespace

Expected<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code reason;
  for (fs::directory_iterator at(folder, reason), end; !reason && at != end; at.increment(reason))
    found.push_back(at->path());
  if (reason && reason != std::errc::no_such_file_or_directory)
    return fail("io", "cannot read the folder: " + reason.message(), folder.string());
  std::ranges::sort(found);
  return found;
}

Expected<void> private_folder(const fs::path& path) {
  // "a/b/" would have a parent of the same name.
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  WARPCLOCK_TRY(make_folders(folder));
  struct stat link {
  }, facts{};
  if (lstat(folder.c_str(), &link) != 0 || stat(folder.c_str(), &facts) != 0)
    return fail("io", fmt::format("cannot open: {}", std::strerror(errno)), folder.string());
  if (!S_ISDIR(facts.st_mode)) return fail("io", "this is not a folder", folder.string());
  if (!is_trusted(link.st_uid) || !is_trusted(facts.st_uid))
    return fail("foreign", "this folder belongs to another user: name one of your own", folder.string());
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(
        "foreign",
        fmt::format("other users may write into this folder: chmod go-w {}, or name another one", folder.string()),
        folder.string());
  return {};
}

namespace {

bool same_file(int descriptor, const fs::path& path) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

FolderLock::FolderLock(fs::path path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

FolderLock::~FolderLock() {
  std::error_code ignored;
  // Still locked, so nobody else has it.
  if (!path_.empty()) fs::remove(path_, ignored);
}

Expected<FolderLock> FolderLock::lock(const fs::path& path, std::chrono::milliseconds patience, const char* otherwise) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pause{10};
  // Where it cannot be made, the lock cannot be opened.
  static_cast<void>(make_folders_on_disk(path.parent_path()));
  for (const auto deadline = Clock::now() + patience;;) {
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (file.get() < 0) return fail("io", std::string("cannot be written: ") + std::strerror(errno), path.string());
    // A file system without locks must not keep a single run from measuring.
    const bool taken = flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // The process that had the lock may have removed the file since it was opened.
    if (!taken && same_file(file.get(), path)) return FolderLock(path, std::move(file));
    if (taken && Clock::now() >= deadline) return fail("locked", otherwise, path.parent_path().string());
    if (taken) std::this_thread::sleep_for(pause);
  }
}

Expected<FolderLock> FolderLock::take(const fs::path& folder) {
  return lock(folder / "run.lock", {},
              "another run writes into this folder now: wait for its end, or name another folder. Tasks of a launcher "
              "that meet here share a GPU: start one for each");
}

Expected<FolderLock> FolderLock::wait(const fs::path& folder, std::chrono::milliseconds patience) {
  return lock(folder / "write.lock", patience,
              "another warpclock has been writing reports here for minutes: end it, and try again");
}

}  // namespace warpclock

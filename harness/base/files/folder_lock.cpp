#include "base/files/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "base/files/replacement.hpp"

namespace warpclock {
namespace fs = std::filesystem;

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

#include "base/files/file.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

#include "base/text.hpp"

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

namespace {

std::unexpected<Error> cannot(std::string_view what, int number, const std::string& place) {
  return fail("io", fmt::format("cannot {}: {}", what, std::strerror(number)), place);
}

/// Waits until there is something to read or the other end is closed. Without a limit for a negative `patience`.
bool wait_for(int descriptor, std::chrono::milliseconds patience) {
  pollfd waiting{descriptor, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

struct Input {
  int descriptor;
  std::string place;
  std::size_t most;
  std::chrono::milliseconds patience;
};

std::unexpected<Error> too_much(const Input& input, bool regular) {
  return fail("io",
              fmt::format("the file has more than {}, which is the most that is read of {}", human_bytes(input.most),
                          regular ? "it" : "a pipe or device"),
              input.place);
}

/// Reads to the end, whether the descriptor blocks or not.
Expected<std::string> read_all(Input input, const struct stat& facts) {
  const bool regular = S_ISREG(facts.st_mode), pipe = S_ISFIFO(facts.st_mode);
  if (!regular) input.most = std::min(input.most, most_stream_bytes);
  if (regular && std::cmp_greater(facts.st_size, input.most)) return too_much(input, regular);
  std::string text, buffer(1 << 16, '\0');
  if (regular) text.reserve(static_cast<std::size_t>(facts.st_size));
  // Before a program has opened the other end, a pipe looks like one that has ended.
  for (bool begun = !pipe;;) {
    const ssize_t count = read(input.descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer, 0, static_cast<std::size_t>(count));
    if (text.size() > input.most) return too_much(input, regular);
    if (count == 0 && begun) return text;
    const bool later = count < 0 && errno == EAGAIN && !regular;
    if (count < 0 && errno != EINTR && !later) return cannot("read", errno, input.place);
    begun = begun || count > 0 || later;
    if (count > 0 || (count < 0 && !later)) continue;
    if (!wait_for(input.descriptor, begun ? std::chrono::milliseconds(-1) : input.patience))
      return fail("io", "no program writes into this pipe; start one that does, or name a file", input.place);
    begun = true;
  }
}

Expected<std::string> read_descriptor(const Input& input) {
  struct stat facts {};
  if (input.descriptor < 0 || fstat(input.descriptor, &facts) != 0) return cannot("open", errno, input.place);
  try {
    return read_all(input, facts);
  } catch (const std::bad_alloc&) {
    return fail("io", "there is not enough memory for it", input.place);
  }
}

}  // namespace

Expected<std::string> read_file(const fs::path& path, std::size_t most, std::chrono::milliseconds patience) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return read_descriptor({file.get(), path.string(), most, patience});
}

Expected<std::string> read_standard_input() {
  return read_descriptor({STDIN_FILENO, "standard input", most_stream_bytes, usual_patience});
}

namespace {

bool is_standard_output(const struct stat& named) {
  struct stat standard {};
  return fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == named.st_dev && standard.st_ino == named.st_ino;
}

/// A pipe without a reader cannot be opened at once, and a terminal must not become that of this process.
int open_for_writing(const fs::path& path, bool pipe, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pause{10};
  const auto deadline = Clock::now() + patience;
  for (;;) {
    const int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 || errno != ENXIO || !pipe || Clock::now() >= deadline) return file;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

bool is_written_in_place(const fs::path& path) {
  struct stat named {};
  if (stat(path.c_str(), &named) != 0 || S_ISDIR(named.st_mode)) return false;
  return !S_ISREG(named.st_mode) || is_standard_output(named);
}

Expected<void> write_in_place(const fs::path& path, std::string_view text, std::chrono::milliseconds patience) {
  const auto cannot = [&](const std::string& why) {
    return fail("io", fmt::format("cannot write: {}", why), path.string());
  };
  struct stat named {};
  if (stat(path.c_str(), &named) != 0) return cannot(std::strerror(errno));
  if (S_ISBLK(named.st_mode)) return cannot("this is a disk; name a file");
  // Behind what was printed before.
  if (is_standard_output(named)) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    return written ? Expected<void>() : cannot(std::strerror(errno));
  }
  const Descriptor file(open_for_writing(path, S_ISFIFO(named.st_mode), patience));
  if (file.get() < 0 && errno == ENXIO && S_ISFIFO(named.st_mode))
    return cannot("no program reads from this pipe; start one that does, or name a file");
  if (file.get() < 0) return cannot(std::strerror(errno));
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags < 0 || fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) != 0 || !write_fully(file.get(), text))
    return cannot(std::strerror(errno));
  return {};
}

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

#include "base/files/private_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

}  // namespace warpclock

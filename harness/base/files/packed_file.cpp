#include "base/files/packed_file.hpp"

#include <system_error>

#include "base/files/paths.hpp"

namespace warpclock {

namespace fs = std::filesystem;

fs::path without_gz(const fs::path& path) {
  return path.extension() == ".gz" ? fs::path(path).replace_extension() : path;
}

fs::path packed_path(const fs::path& path) {
  std::error_code error;
  const fs::path other = path.extension() == ".gz" ? without_gz(path) : fs::path(path.string() + ".gz");
  return !fs::exists(path, error) && fs::exists(other, error) ? other : path;
}

bool has_packed_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(packed_path(path), error);
}

Expected<std::string> read_packed_file(const fs::path& path) {
  const fs::path found = packed_path(path);
  auto bytes = WARPCLOCK_TRY(read_file(found, most_record_bytes));
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  auto text = gunzip(bytes);
  if (!text) return fail(text.error().code, text.error().text, found.string());
  return text;
}

}  // namespace warpclock

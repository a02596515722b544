#include "capture/capture_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <system_error>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "capture/empty_kernel.hpp"

namespace warpclock {

namespace fs = std::filesystem;

fs::path capture_folder(const fs::path& path) {
  return path.filename() == capture_record || path.filename() == without_gz(capture_record)
             ? path.parent_path().empty() ? fs::path(".") : path.parent_path()
             : path;
}

bool is_beside(const Capture& capture, const CapturedLaunch& launch) {
  return capture.kernels[static_cast<std::size_t>(launch.kernel)].symbol == empty_kernel;
}

bool is_capture(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(capture_folder(path), ignored) && has_packed_file(capture_folder(path) / capture_record);
}

Expected<Capture> read_capture(const fs::path& folder) {
  const fs::path path = packed_path(folder / capture_record);
  return parse_capture(WARPCLOCK_TRY(read_packed_file(path)), path.string());
}

Expected<std::string> read_kept(const fs::path& folder, const char* part, const std::string& hash) {
  const fs::path path = folder / part / hash;
  std::string bytes = WARPCLOCK_TRY(read_file(path));
  if (hash_hex(bytes) != hash) return fail("record", "the file is not what its name says", path.string());
  return bytes;
}

}  // namespace warpclock

#include <filesystem>

#include "base/files/marked.hpp"
#include "cli/options/options.hpp"

namespace warpclock {

Expected<void> write_named(const std::string& path, std::string_view text) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    return fail("write", "there is no such folder: make it, or correct the path", folder.string());
  return write_marked(path, text);
}

}  // namespace warpclock

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace warpclock {
namespace {

/// Two classes of one name in one namespace are two definitions of each of their inline functions, of which the linker
/// keeps one; nothing says so while no source includes both.
TEST(Names, NoTwoHeadersDefineOneClass) {
  const std::regex definition("^(?:struct|class|enum class) ([A-Z]\\w*)(?: final)? ?[:{].*");
  std::map<std::string, std::string> defined;
  const auto root = std::filesystem::path(WARPCLOCK_SOURCE_DIR) / "harness";
  for (const auto& file : std::filesystem::recursive_directory_iterator(root)) {
    if (file.path().extension() != ".hpp" || file.path().parent_path().filename() == "testing") continue;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      std::smatch found;
      if (!std::regex_match(line, found, definition)) continue;
      const auto [first, fresh] = defined.emplace(found[1], file.path().filename());
      EXPECT_TRUE(fresh) << found[1] << " is in " << first->second << " and in " << file.path().filename();
    }
  }
  EXPECT_GT(defined.size(), 100U);
}

}  // namespace
}  // namespace warpclock

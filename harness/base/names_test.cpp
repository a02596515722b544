#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace warpclock {
namespace {

/// Two classes of the same name in one namespace define each of their inline functions twice, and the linker keeps one
/// of the two. No tool reports this unless one source file includes both headers.
TEST(Names, NoTwoHeadersDefineOneClass) {
  const std::regex definition("^(?:struct|class|enum class) ([A-Z]\\w*)(?: final)? ?(?:\\{|:(?!:)).*");
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

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace warpclock {
namespace {

namespace fs = std::filesystem;

/// The folders of harness/ that hold sources. Each may include what is above it.
const std::vector<std::string> rooms = {"base",
                                        "base/drawing",
                                        "base/files",
                                        "base/json",
                                        "base/sheet",
                                        "plan",
                                        "plan/config",
                                        "ptx",
                                        "ptx/catalogue",
                                        "ptx/experiment",
                                        "code",
                                        "compile/compiler",
                                        "compile",
                                        "verify",
                                        "verify/instruction",
                                        "fields",
                                        "compose",
                                        "compose/copies",
                                        "gpu/job",
                                        "gpu/device",
                                        "gpu/counters",
                                        "gpu/launch",
                                        "gpu/worker",
                                        "gpu/bench",
                                        "analyze",
                                        "analyze/curve",
                                        "record",
                                        "record/instructions",
                                        "record/json",
                                        "record/select",
                                        "model",
                                        "inspect/image",
                                        "inspect",
                                        "inspect/graph",
                                        "inspect/difference",
                                        "execute/forms",
                                        "execute",
                                        "execute/accesses",
                                        "predict/memory",
                                        "predict/meeting",
                                        "predict/program",
                                        "predict/simulation",
                                        "predict",
                                        "predict/listing",
                                        "capture/injection",
                                        "capture",
                                        "check",
                                        "check/blocks",
                                        "measure/resume",
                                        "measure",
                                        "measure/machine",
                                        "prove",
                                        "fleet",
                                        "answer/numbers",
                                        "answer/sections",
                                        "answer/markdown",
                                        "answer/instructions",
                                        "answer/words",
                                        "answer/overview",
                                        "answer/ask",
                                        "answer",
                                        "advise",
                                        "gate",
                                        "report/page",
                                        "cli/options",
                                        "cli/answers",
                                        "cli",
                                        "cli/instructions",
                                        "cli/kernels",
                                        "cli/fleet",
                                        "cli/ask"};

constexpr std::ptrdiff_t most_files = 40, most_lines = 300;

fs::path harness() { return fs::path(WARPCLOCK_SOURCE_DIR) / "harness"; }

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The room of a path below harness/: helpers of tests belong to the folder that their testing/ is in.
std::string room_of(const fs::path& path) {
  fs::path folder = path.parent_path();
  if (folder.filename() == "testing") folder = folder.parent_path();
  return folder.generic_string();
}

std::ptrdiff_t position(const std::string& room) {
  // gpu/testing serves all rooms of gpu.
  return std::ranges::find(rooms, room == "gpu" ? "gpu/bench" : room) - rooms.begin();
}

/// Paths below harness/ of all sources; kernels and documents that tests read are not among them.
std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const auto& file : fs::recursive_directory_iterator(harness())) {
    const fs::path path = file.path().lexically_relative(harness());
    if (path.extension() == ".cpp" || path.extension() == ".hpp") found.push_back(path);
  }
  return found;
}

bool for_tests(const fs::path& path) {
  const std::string stem = path.stem().string();
  return stem.ends_with("_test") || stem.ends_with("_fuzz") || path.parent_path().filename() == "testing";
}

std::string top(const std::string& room) { return room.substr(0, room.find('/')); }

TEST(Rooms, EverySourceIsInOne) {
  for (const fs::path& path : sources()) {
    EXPECT_LT(position(room_of(path)), std::ssize(rooms)) << path << ": add its folder to `rooms`";
  }
}

TEST(Rooms, IncludeOnlyWhatIsAbove) {
  const std::regex include("#include \"([^\"]+)\"");
  std::size_t seen = 0;
  for (const fs::path& path : sources()) {
    const std::string text = text_of(harness() / path);
    const std::string room = room_of(path);
    for (std::sregex_iterator found(text.begin(), text.end(), include), end; found != end; ++found) {
      const fs::path included = (*found)[1].str();
      if (!fs::exists(harness() / included)) continue;
      ++seen;
      const std::string other = room_of(included);
      // A test may use all that its program links: the room below it in the same folder as well.
      if (for_tests(path) && top(room) == top(other)) continue;
      EXPECT_LE(position(other), position(room)) << path << " includes " << included;
    }
  }
  EXPECT_GT(seen, 1000U);
}

TEST(Rooms, HaveAtMostFortyFiles) {
  for (const std::string& room : rooms) {
    const auto files = std::ranges::count_if(fs::directory_iterator(harness() / room), [](const auto& entry) {
      return entry.is_regular_file() && entry.path().filename() != "README.md";
    });
    EXPECT_GT(files, 0) << room;
    EXPECT_LE(files, most_files) << room;
  }
}

TEST(Rooms, HaveNoLongSources) {
  std::set<std::string> found;
  for (const fs::path& path : sources()) {
    const std::string text = text_of(harness() / path);
    if (!for_tests(path) && std::ranges::count(text, '\n') > most_lines) found.insert(path.generic_string());
  }
  EXPECT_EQ(found, std::set<std::string>());
}

TEST(Rooms, AreDescribedInAReadme) {
  std::map<std::string, std::string> readmes;
  for (const std::string& room : rooms) {
    std::string& readme = readmes[top(room)];
    if (readme.empty()) readme = text_of(harness() / top(room) / "README.md");
    EXPECT_NE(readme.find("# harness/" + top(room)), std::string::npos) << top(room);
    if (room == top(room)) continue;
    const std::string inner = "`" + fs::path(room).filename().string() + "/`";
    EXPECT_NE(readme.find(inner), std::string::npos) << top(room) << "/README.md says nothing of " << inner;
  }
}

}  // namespace
}  // namespace warpclock

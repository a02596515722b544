#include <gmock/gmock.h>
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
using ::testing::IsEmpty;

/// The folders of harness/ that hold sources. Each may include what is above it.
const std::vector<std::string> rooms = {"base",
                                        "base/files",
                                        "base/json",
                                        "base/sheet",
                                        "base/yaml",
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
                                        "model",
                                        "inspect/image",
                                        "inspect",
                                        "inspect/difference",
                                        "inspect/hazards",
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
                                        "measure",
                                        "measure/machine",
                                        "prove",
                                        "fleet",
                                        "answer/numbers",
                                        "answer/sections",
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

constexpr std::ptrdiff_t most_lines = 500;

/// Folders whose headers for one source are still to be moved.
const std::set<std::string> not_yet = {"execute", "predict", "capture"};

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

/// 0 for a file that is not there.
std::ptrdiff_t lines_of(const fs::path& path) { return std::ranges::count(text_of(harness() / path), '\n'); }

/// The files of harness/ that a source includes.
std::vector<std::string> included_by(const fs::path& path) {
  static const std::regex include("#include \"([^\"]+)\"");
  const std::string text = text_of(harness() / path);
  std::vector<std::string> found;
  for (std::sregex_iterator each(text.begin(), text.end(), include), end; each != end; ++each) {
    if (fs::exists(harness() / (*each)[1].str())) found.push_back((*each)[1].str());
  }
  return found;
}

/// The file beside a source or header of the same name: ".cpp", "_test.cpp".
fs::path part(fs::path path, const std::string& ending) { return path.replace_extension().concat(ending); }

/// Whether a header and its source can be moved into the one file, or pair of files, that includes the header.
bool fit_together(const fs::path& header, const fs::path& user) {
  const std::ptrdiff_t declared = lines_of(header), defined = lines_of(part(header, ".cpp"));
  if (user.extension() == ".cpp") return declared + defined + lines_of(user) <= most_lines;
  return declared + lines_of(user) <= most_lines && defined + lines_of(part(user, ".cpp")) <= most_lines;
}

TEST(Rooms, EverySourceIsInOne) {
  for (const fs::path& path : sources()) {
    EXPECT_LT(position(room_of(path)), std::ssize(rooms)) << path << ": add its folder to `rooms`";
  }
}

TEST(Rooms, IncludeOnlyWhatIsAbove) {
  std::size_t seen = 0;
  for (const fs::path& path : sources()) {
    const std::string room = room_of(path);
    for (const std::string& included : included_by(path)) {
      ++seen;
      const std::string other = room_of(included);
      // A test may use all that its program links: the room below it in the same folder as well.
      if (for_tests(path) && top(room) == top(other)) continue;
      EXPECT_LE(position(other), position(room)) << path << " includes " << included;
    }
  }
  EXPECT_GT(seen, 1000U);
}

TEST(Rooms, HoldFiles) {
  for (const std::string& room : rooms) EXPECT_FALSE(fs::is_empty(harness() / room)) << room;
}

TEST(Rooms, HaveNoLongSources) {
  std::set<std::string> found;
  for (const fs::path& path : sources()) {
    if (!for_tests(path) && lines_of(path) > most_lines) found.insert(path.generic_string());
  }
  EXPECT_EQ(found, std::set<std::string>());
}

TEST(Rooms, HaveNoHeaderForOneSource) {
  std::map<std::string, std::set<fs::path>> users;  // of a header, by its path
  for (const fs::path& path : sources()) {
    if (for_tests(path)) continue;
    for (const std::string& included : included_by(path)) {
      if (part(included, ".cpp") != part(path, ".cpp")) users[included].insert(path);
    }
  }
  std::map<std::string, std::string> found;
  for (const auto& [header, by] : users) {
    const fs::path& user = *by.begin();
    // A test of its own shows what it is for, and what another folder includes is the end of this one.
    const bool tested = fs::exists(harness() / part(header, "_test.cpp"));
    if (by.size() > 1 || tested || for_tests(header) || top(room_of(header)) != top(room_of(user))) continue;
    if (not_yet.contains(room_of(header)) || not_yet.contains(top(room_of(header)))) continue;
    if (fit_together(header, user)) found.emplace(header, user.generic_string());
  }
  EXPECT_THAT(found, IsEmpty()) << "a header that one source needs is a part of that source";
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

#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"

namespace warpclock::testing {

/// page_check.py with one headless Chromium, which all cases of a test program share.
class Chromium {
 public:
  Chromium() {
    Descriptor input, output;
    if (!make_pipe(input, to_) || !make_pipe(from_, output)) return;
    const auto child =
        spawn("python3", {"python3", WARPCLOCK_SOURCE_DIR "/harness/report/page/page_check.py", "--serve"}, input.get(),
              output.get(), STDERR_FILENO);
    if (child) child_ = *child;
  }
  ~Chromium() {
    to_.reset();
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  /// {"failures": [text], "said": text}; {"skipped": why} without a browser.
  Json ask(const Json& question) {
    if (child_ < 0) return {{"skipped", "Python cannot be started"}};
    if (!write_fully(to_.get(), question.dump() + "\n")) return lost("page_check.py does not read");
    while (!text_.contains('\n')) {
      constexpr int most_ms = 4 * 60 * 1000;
      pollfd ready{from_.get(), POLLIN, 0};
      char part[4096];
      const auto size = poll(&ready, 1, most_ms) > 0 ? read(from_.get(), part, sizeof part) : 0;
      if (size <= 0) return lost("page_check.py does not answer");
      text_.append(part, static_cast<std::size_t>(size));
    }
    const std::size_t end = text_.find('\n');
    Json answer = json_of(text_.substr(0, end));
    text_.erase(0, end + 1);
    return answer;
  }

  static Chromium& shared() {
    static Chromium one;
    return one;
  }

 private:
  Json lost(const char* why) {
    child_ = -1;
    return {{"failures", {why}}, {"said", ""}};
  }

  Descriptor to_, from_;
  pid_t child_ = -1;
  std::string text_;
};

/// What a page must hold: an expression in JavaScript, which knows all that its program defines, and its value.
using PageFacts = std::vector<std::pair<std::string, Json>>;

/// Fails for each check that does not hold of the page.
inline void expect_page(const Json& question) {
  const Json answer = Chromium::shared().ask(question);
  if (answer.contains("skipped")) GTEST_SKIP() << answer["skipped"];
  for (const Json& failure : answer["failures"]) ADD_FAILURE() << failure.get<std::string>();
  std::cout << answer["said"].get<std::string>();
}

/// WARPCLOCK_PAGES names a folder in which the pages are kept.
inline void expect_page(const std::string& name, const std::function<std::string()>& page, Json question) {
  if (const Json has = Chromium::shared().ask({{"has", "browser"}}); has.contains("skipped"))
    GTEST_SKIP() << has["skipped"];  // large pages take a while
  const TemporaryFolder folder;
  question["page"] = folder / name;
  write(folder / name, page());
  if (const char* const kept = std::getenv("WARPCLOCK_PAGES"))
    std::filesystem::copy_file(folder / name, std::string(kept) + '/' + name,
                               std::filesystem::copy_options::overwrite_existing);
  expect_page(question);
}

/// The page needs nothing but itself at each width and in each colour, and has all that pages of its kind have.
inline void expect_whole(const std::string& name, const std::function<std::string()>& page, bool hostile = false) {
  expect_page(name, page, {{"whole", true}, {"hostile", hostile}});
}

/// The facts hold of the page, and nothing is on the console.
inline void expect_facts(const std::string& name, const std::function<std::string()>& page, const PageFacts& facts) {
  Json all = Json::array();
  for (const auto& [expression, value] : facts) all.push_back({expression, value});
  expect_page(name, page, {{"facts", all}});
}

}  // namespace warpclock::testing

#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/embedded.hpp"
#include "base/paths.hpp"
#include "build/sources.hpp"
#include "plan/case.hpp"

namespace warpclock::testing {

/// Sets an environment variable for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A folder that lives as long as its test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpclock-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// Paths of the files with this ending, sorted.
  [[nodiscard]] std::vector<std::string> files(const std::string& ending) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (entry.path().extension() == ending) found.push_back(entry.path().string());
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  std::string path_;
};

inline void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

inline std::string write_script(const std::string& path, const std::string& body) {
  write(path, "#!/bin/sh\n" + body);
  chmod(path.c_str(), 0755);
  return path;
}

inline Arch arch(const std::string& name) { return parse_arch(name).value(); }

inline Case make_case(std::string kernel, const std::string& arch_name, std::vector<std::int64_t> repeats,
                      Parameters parameters = {}) {
  Case c;
  c.kernel = std::move(kernel);
  c.arch = arch(arch_name);
  c.repeats = std::move(repeats);
  c.parameters = std::move(parameters);
  return c;
}

/// probe.cuh as the program carries it, and a probe of one file.
inline Sources sources_with(const std::string& path, const std::string& text) {
  return {{"probe.cuh", embedded_probes().at("probe.cuh")}, {path, text}};
}

/// A chain of FMAs; ADD is the sweep's parameter. With `#error` where ADD is 13, with bad PTX where it is 14.
inline const char* const fma_probe = R"(#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
#if ADD == 13
  v = undeclared_name;
#endif
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
#if ADD == 14
      asm volatile("shfl.sync.bogus.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
#else
      asm volatile("mad.lo.u32 %0, %0, %0, %1;" : "+r"(v) : "n"(ADD));
#endif
    }
    window.wait(v);
    window.close();
  }
  window.report(args);
}
)";

}  // namespace warpclock::testing

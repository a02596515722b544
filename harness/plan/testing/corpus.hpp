#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace warpclock::corpus {

using Configs = std::map<std::string, std::string>;
using Keys = std::vector<std::pair<std::string, std::string>>;

inline std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Every config of the repository except the PTX catalogue, by the path that errors show.
inline Configs committed() {
  const std::filesystem::path root = WARPCLOCK_SOURCE_DIR;
  Configs configs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "configs")) {
    const std::string path = entry.path().lexically_relative(root).generic_string();
    if (path.ends_with(".yaml") && !path.contains("instructions/")) configs[path] = read(entry.path());
  }
  return configs;
}

inline const Keys& probe_keys() {
  static const Keys keys = {{"name", "p"},
                            {"asks", "Why?"},
                            {"sweep", "{a: [1, 2], mode: [x, y]}"},
                            {"repeat", "[1, 2, 3]"},
                            {"window", "{target: ABC}"},
                            {"measures", "[{name: m, method: slope, unit: cycles}]"},
                            {"facts", "[seen]"},
                            {"counters", "[hits]"}};
  return keys;
}

inline const Keys& metric_keys() {
  static const Keys keys = {
      {"name", "hits"}, {"counters", "[l1.sum]"}, {"formula", "first"}, {"unit", "count"}, {"text", "How often"}};
  return keys;
}

/// A list that holds one map below `head`. `change` alters the keys of the map: "key: value", "-key" or "+key: value".
inline std::string document(const std::string& head, Keys keys, const std::string& change) {
  if (!change.empty()) {
    const std::string body = change.front() == '+' || change.front() == '-' ? change.substr(1) : change;
    const std::string key = body.substr(0, body.find(':'));
    const std::string value = body.size() > key.size() ? body.substr(key.size() + 1) : "";
    const auto at = std::ranges::find(keys, key, [](const auto& entry) { return entry.first; });
    if (change.front() == '-') {
      keys.erase(at);
    } else if (at == keys.end() || change.front() == '+') {
      keys.emplace_back(key, trim(value));
    } else {
      at->second = trim(value);
    }
  }
  std::string text = head;
  const char* lead = "  - ";
  for (const auto& [key, value] : keys) {
    text += std::exchange(lead, "    ") + key + ":" + (value.empty() ? "" : " " + value) + "\n";
  }
  return text;
}

inline std::string family(const std::string& change = "") {
  return document("family: f\nprobes:\n", probe_keys(), change);
}
inline std::string metrics(const std::string& change = "") { return document("metrics:\n", metric_keys(), change); }

/// One line of a corpus file and the message on the line below it.
struct Entry {
  std::string kind;  ///< "shape", "sense" or "yaml"
  std::string change;
  std::string message;
};

inline std::filesystem::path folder() {
  return std::filesystem::path(WARPCLOCK_SOURCE_DIR) / "harness/plan/testdata/malformed";
}

inline std::vector<Entry> entries(const std::string& file) {
  std::vector<Entry> all;
  for (const std::string& line : lines(read(folder() / file))) {
    if (line.starts_with('#')) continue;
    if (line.starts_with("  ")) {
      all.back().message = trim(line);
    } else {
      const std::size_t blank = line.find(' ');
      all.push_back({line.substr(0, blank), line.substr(blank + 1), ""});
    }
  }
  return all;
}

}  // namespace warpclock::corpus

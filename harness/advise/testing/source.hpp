#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "advise/advisers.hpp"
#include "base/testing/matchers.hpp"
#include "model/testing/measured.hpp"
#include "record/json/record_json.hpp"

namespace warpclock::testing {

/// The measured kernels of a committed GPU.
inline const Record& committed_kernels(const std::string& folder) {
  static std::map<std::string, Record> all;
  const auto [found, added] = all.try_emplace(folder);
  if (added) {
    auto read = must(read_if_there(WARPCLOCK_SOURCE_DIR "/reports/" + folder + "/cases.json", {{RecordFile::Cases}}));
    EXPECT_TRUE(read) << folder;
    if (read) found->second = *std::move(read);
  }
  return found->second;
}

inline AdviceSource source_of(const CommittedGpu& one) {
  return {one.gpu, one.machine, &committed_kernels(one.gpu.folder)};
}

/// The committed GPU whose folder has this word in its name.
inline const CommittedGpu& committed(std::string_view word) {
  for (const CommittedGpu& one : committed_gpus()) {
    if (one.machine.folder.contains(word)) return one;
  }
  ADD_FAILURE() << "no reports of " << word;
  return committed_gpus().front();
}

/// A model without one leaf.
inline Machine without(Machine machine, const std::string& section, const std::string& entry, const std::string& leaf) {
  for (const auto& [name, entries] : machine_sections) {
    if (name != section) continue;
    for (Entry& one : machine.*entries) {
      if (one.name == entry) std::erase_if(one.leaves, [&](const Leaf& each) { return each.name == leaf; });
    }
  }
  return machine;
}

inline double leaf_value(const Machine& machine, const std::string& path) {
  const Leaf* leaf = find_leaf(machine, path);
  EXPECT_NE(leaf, nullptr) << path;
  return leaf == nullptr ? 0 : leaf->value;
}

}  // namespace warpclock::testing

#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "record/json/json_text.hpp"

namespace warpclock {

/// What the rows of a file share: each value stands once, and is meant by its index in the order of first mention.
class JsonPool {
 public:
  std::size_t index(const Json& value) {
    // By what is written: texts that differ only in bytes that are not UTF-8 are one when they are read back.
    const auto [at, added] = known_.try_emplace(compact(value), known_.size());
    if (added) json_.push_back(value);
    return at->second;
  }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  std::map<std::string, std::size_t> known_;
  Json json_ = Json::array();
};

}  // namespace warpclock

#pragma once

#include <string>

#include "record/json/json_reader.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Reads result.json of schema 1.x: every case written out with its keys, but for a window or PTX text that an earlier
/// case has already shown, for which that case's id stands (`sass_of`, `ptx_of`).
class FirstRecordReader {
 public:
  void read(const Json& json, Record& record);
  [[nodiscard]] const std::string* problem() const { return reader_.problem(); }

 private:
  JsonReader reader_;
};

}  // namespace warpclock

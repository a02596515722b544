#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimate.hpp"
#include "gpu/job/samples.hpp"
#include "record/json/element_reader.hpp"
#include "record/json/json_pool.hpp"

namespace warpclock {

/// Opcodes with how often they occur.
using OpcodeMix = std::vector<std::pair<std::string, int>>;

/// Machine code as files hold it. What windows share stands once, in arrays of the file, and is meant by its index:
///   opcodes     "FFMA"
///   mixes       [opcode, 2, opcode, 16]: what a window holds, or in order what an instruction becomes
///   controls    "B------:R-:W-:-:S04": the scheduling that machine code encodes (sass_line.hpp)
///   lines       [control, "FFMA R4, R4, R8, R9"]: a line of SASS
/// A window is then [3, [16, 4], 5]: line 3, line 4 sixteen times, line 5.
class CodeWriter {
 public:
  std::size_t mix(const OpcodeMix& opcodes);
  Json sass(const std::vector<std::string>& lines);
  /// The arrays as members of the file's object, each with a comma before it.
  [[nodiscard]] std::string members() const;

 private:
  JsonPool opcodes_, mixes_, controls_, lines_;
};

/// [3, [16, 4], 5] of such indexes.
[[nodiscard]] Json repeats_json(const std::vector<std::size_t>& indexes);

/// ",\n\"name\":[...]" with an element a line.
[[nodiscard]] std::string member(const std::string& name, const Json& array);

/// [SM MHz, memory MHz, W, degrees Celsius, throttle reasons ...]; empty for no reading.
[[nodiscard]] Json clock_json(const ClockReading& clock);
/// [kind, value], [kind, value, low, high] or [kind, value, low, high, note] of pools of kinds
/// [name, unit, method, samples] and of texts. One without low and high has no spread.
[[nodiscard]] Json estimate_json(const Estimate& estimate, JsonPool& kinds, JsonPool& texts);

/// To that many significant digits.
void round_to(double& value, int digits);

/// What tells of other work on the GPU, [us, us, processes]; empty where nobody looked.
[[nodiscard]] Json sharing_json(const ClockReading& clock);

/// Reads what the above wrote.
class RowReader : public ElementReader {
 protected:
  void read_code(const Json& file);
  /// The lines of `object`'s array `key`, whose elements are indexes of `pool` or repeats of them.
  void repeated(const Json& object, const char* key, const std::vector<std::string>& pool,
                std::vector<std::string>& out);
  void sass(const Json& object, std::vector<std::string>& out) { repeated(object, "sass", lines_, out); }
  void mix(const Json& object, const char* key, OpcodeMix& out) { shared(object, key, mixes_, "mix", out); }
  void mix(const Json& index, OpcodeMix& out);
  void clock(const Json& object, ClockReading& out);
  /// The file's texts and kinds.
  void read_estimates(const Json& file);
  void estimate(const Json& array, Estimate& out);
  /// The optional text `key`.
  void text(const Json& object, const char* key, std::string& out) { shared(object, key, texts_, "text", out); }

  std::vector<std::string> texts_;

 private:
  std::vector<Estimate> kinds_;
  std::vector<std::string> opcodes_, controls_, lines_;
  std::vector<OpcodeMix> mixes_;
};

}  // namespace warpclock

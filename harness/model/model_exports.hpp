#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_writer.hpp"
#include "model/machine.hpp"

namespace warpclock {

// The model as texts for other programs, each beginning with a line that says that this program wrote it. The same
// bytes for the same model. Texts of records are escaped.

/// On one line, in ASCII, without a backslash that would continue a comment.
[[nodiscard]] std::string comment_text(std::string text);

/// A line for each leaf, with the commit, GPU and date of its record (RFC 4180).
[[nodiscard]] std::string to_csv(const Machine& machine);

/// A header of C++17: warpclock::nvidia_h200::transfers::l2_load::latency is a constexpr leaf. A leaf that is absent is
/// of a type that nothing can be made of, so its use is a compile error.
[[nodiscard]] std::string to_cpp_header(const Machine& machine);
/// "transfers", "l2_load": a name as an identifier of C++. Different names of forms and entries become different ones.
[[nodiscard]] std::string identifier(const std::string& name);

/// A Python module that imports nothing but json.
[[nodiscard]] std::string to_python(const Machine& machine);

/// Options for Accel-Sim's option parser, each after a comment with its rows; absent ones are comments.
[[nodiscard]] std::string to_accel_sim(const Machine& machine, const ModelConfig& config);

/// What Triton's warp specialization asks: latency and occupancy of operations, laws of transfers, hand-offs.
[[nodiscard]] std::string to_triton(const Machine& machine, const ModelConfig& config);

/// The same as lines of a C++ source that defines WARPCLOCK_OP and WARPCLOCK_TRANSFER before it includes them. Whole
/// cycles, in the order of OpLatencyInfo in LatencyModel.h of Triton's modulo scheduling: pipeline, latency,
/// selfLatency, minWarps, occupancy.
[[nodiscard]] std::string to_triton_def(const Machine& machine, const ModelConfig& config);

/// The highest rate of each type and of each level, per second and per clock and SM, each with the leaf that reached
/// it.
[[nodiscard]] std::string to_peaks(const Machine& machine, const ModelConfig& config);

struct Ceiling {
  std::string name;
  double flop = 0;  ///< of one unit of the leaf; 0 for a level of memory
  const Leaf* leaf = nullptr;

  /// FLOP per clock and SM of a pipe, bytes per clock and SM of a level.
  [[nodiscard]] double height() const { return leaf->value * (flop > 0 ? flop : 1); }
};
/// In the order of the configuration. Points into `machine`.
[[nodiscard]] std::vector<Ceiling> ceilings(const Machine& machine, const ModelConfig& config);
[[nodiscard]] std::string to_roofline(const Machine& machine, const ModelConfig& config);

/// The model as JSON, an entry on a line; model_schema() prints its keys. The same bytes for the same model.
[[nodiscard]] std::string to_json(const Machine& machine);

/// A JSON Schema of what to_json() writes.
[[nodiscard]] std::string model_schema();

/// A JSON text that begins with its schema and its kind, and has a member, or an element of an array, on a line.
[[nodiscard]] std::string model_text(std::string_view record, const Json& members);

}  // namespace warpclock

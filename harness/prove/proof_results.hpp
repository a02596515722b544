#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "execute/code_program.hpp"
#include "execute/launch.hpp"
#include "prove/proof_window.hpp"

namespace warpclock {

/// What is kept of a launch (proof_data::begin to end) that does not depend on the window: words of quads, and for
/// windows that access memory those of cells. The others are zeros.
void leave_compared(std::string& kept, bool memory);

/// 32 hexadecimal digits that identify what is left of it.
[[nodiscard]] std::string digest_of(const std::string& kept, bool memory);

/// What the executor computes of a launch.
struct ExecutedResults {
  std::string kept;            ///< proof_data::begin to end, after leave_compared()
  std::vector<bool> followed;  ///< for each word of `kept`: whether its value is known

  [[nodiscard]] bool all_followed() const;
};

/// Executes the kernel of one of a window's fillings with the operands of its launches.
class ProofExecution {
 public:
  ProofExecution(const ProofFrame& frame, LoadedKernel kernel);

  /// `operands` as operand_data() gives them. Errors: those of execute().
  [[nodiscard]] Expected<ExecutedResults> run(const std::string& operands, bool memory);

 private:
  std::string target_;
  LoadedKernel kernel_;
  std::optional<CodeProgram> program_;
};

}  // namespace warpclock

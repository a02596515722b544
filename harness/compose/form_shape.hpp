#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "fields/form.hpp"

namespace warpclock {

/// The kind and size of an operand of a form, for assigning registers to it.
struct OperandShape {
  enum class Kind : std::uint8_t { None, Vector, Uniform, Predicate, UniformPredicate, Address };
  Kind kind = Kind::None;  ///< None: an immediate, a constant, a sink, a special register
  int registers = 0;       ///< number of registers that it spans
};

/// The operands of a form, results first.
struct FormShape {
  std::vector<OperandShape> results, sources;
  /// The result through which a chain can go: a vector register if there is one.
  [[nodiscard]] std::optional<std::size_t> result() const;
  /// Whether an operand has more than 8 registers. It needs a hole with accumulators.
  [[nodiscard]] bool wide() const;
};

/// Also true for a generic address, because those of a hole point to global memory.
[[nodiscard]] bool accesses_global_memory(const Instruction& instruction);
[[nodiscard]] bool accesses_shared_memory(const Instruction& instruction);

/// Error "compose" if the form is no instruction that can be placed.
[[nodiscard]] Expected<FormShape> shape_of(const WordForm& form);

/// Index of the numeral of an operand that is a register, but not a sink.
[[nodiscard]] std::optional<std::size_t> register_of(const Skeleton& skeleton, std::size_t operand);

}  // namespace warpclock

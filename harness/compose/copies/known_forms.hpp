#pragma once

#include <functional>
#include <map>
#include <string>

#include "code/listing.hpp"
#include "compose/movers.hpp"
#include "fields/form_table.hpp"
#include "fields/form_times.hpp"

namespace warpclock {

/// The forms of an architecture, and the cycles after which ptxas lets results of fixed latency be read.
class KnownForms {
 public:
  KnownForms(const FormTable& table, const FormTimesByKey& times);

  [[nodiscard]] const FormTable& table() const { return table_; }
  /// The fewest cycles that ptxas leaves after any form of this instruction, whatever its rounding and operands.
  [[nodiscard]] int ready(const Instruction& instruction) const;
  /// What GPUs need, null if that is not known.
  [[nodiscard]] const FormTimes* times(const WordForm& form) const;
  [[nodiscard]] const Movers& movers() const { return movers_; }

 private:
  const FormTable& table_;
  const FormTimesByKey& times_;
  Movers movers_;
  std::map<std::string, int, std::less<>> ready_;
};

}  // namespace warpclock

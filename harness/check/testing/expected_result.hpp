#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "check/study.hpp"
#include "gpu/job/call.hpp"

namespace warpclock::testing {

/// The number that an element's bits are.
[[nodiscard]] double number_of(CallType type, std::uint64_t bits);

struct ExpectedNumber {
  double value = 0;
  double tolerance = 0;
};

/// What a kernel of probes/cases/ writes when it is launched once, worked out one element at a time on the CPU, from
/// what the comment at the head of its source says.
class ExpectedResult {
 public:
  /// Throws std::out_of_range if no kernel of that name is known.
  [[nodiscard]] static ExpectedResult of(const KernelCase& one);

  /// What each argument holds before the launch; it repeats in larger buffers. Empty for scalars.
  [[nodiscard]] const std::vector<std::vector<std::byte>>& patterns() const { return *patterns_; }
  /// The arguments that the kernel writes.
  [[nodiscard]] const std::vector<std::size_t>& outputs() const { return outputs_; }
  [[nodiscard]] ExpectedNumber at(std::size_t output, std::int64_t element) const { return at_(output, element); }

 private:
  std::shared_ptr<const std::vector<std::vector<std::byte>>> patterns_;
  std::vector<std::size_t> outputs_;
  std::function<ExpectedNumber(std::size_t, std::int64_t)> at_;
};

}  // namespace warpclock::testing

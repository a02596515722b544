#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler/compilation.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// Indices of cases that are compiled as one module: cases of one probe file (or generated ones) for one target.
struct Batch {
  Target target;
  std::vector<std::size_t> cases;
};

/// A case to compile.
struct Order {
  std::size_t index;
  Target target;
};

[[nodiscard]] std::size_t kernels_of(const Batch& batch, const std::vector<Case>& cases);

/// Batches of 8 to 64 kernels (generated ones: up to 256), enough for every thread; the largest batch first. A module
/// costs about 0.05 s in addition to its kernels (the front end reads the headers), a kernel 10 to 130 ms. The result
/// depends only on the arguments.
[[nodiscard]] std::vector<Batch> plan_batches(const std::vector<Order>& orders, const std::vector<Case>& cases,
                                              unsigned threads);

/// What to try after a batch failed: its halves, or each case on its own.
[[nodiscard]] std::vector<Batch> halves(const Batch& batch);
[[nodiscard]] std::vector<Batch> singles(const Batch& batch);

/// nvdisasm's output by kernel. Text before the first kernel is under "".
[[nodiscard]] std::map<std::string, std::string_view> sections_of(std::string_view disassembly);

}  // namespace warpclock

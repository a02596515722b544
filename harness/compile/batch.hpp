#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/nvrtc.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// Cases, by index, that are compiled as one module: of one probe file (or of generated ones) and one target.
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

/// Batches of 8 to 64 kernels (generated ones: to 256), so many that every thread has work; the largest first. A module
/// costs about 0.05 s apart from its kernels (the front end reads the headers), a kernel 10 to 130 ms. Depends on
/// nothing but its arguments.
[[nodiscard]] std::vector<Batch> plan_batches(const std::vector<Order>& orders, const std::vector<Case>& cases,
                                              unsigned threads);

/// What to try instead when a batch failed: its halves, or each case by itself.
[[nodiscard]] std::vector<Batch> halves(const Batch& batch);
[[nodiscard]] std::vector<Batch> singles(const Batch& batch);

/// nvdisasm's output cut by kernel; what stands before the first kernel is under "".
[[nodiscard]] std::map<std::string, std::string_view> sections_of(std::string_view disassembly);

}  // namespace warpclock

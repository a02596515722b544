#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/parameters.hpp"

namespace warpclock {

/// A tensor map over the data buffer, dense, innermost dimension first (PTX ISA, "Tensors"; CUDA Driver API, "Tensor
/// Map Object Management"). The words are those of tensor_words().
struct Tensor {
  std::string type;                ///< element type; empty for no tensor map
  std::vector<std::int64_t> dims;  ///< elements
  std::vector<std::int64_t> box;   ///< elements that one copy moves; empty with im2col
  std::string swizzle = "none", interleave = "none", promotion = "none", oob = "zeros";
  std::vector<std::int64_t> lower, upper;  ///< im2col: corners of the bounding box, spatial dimensions only
  std::int64_t channels = 0, pixels = 0;   ///< im2col: what one copy moves; 0 for a tiled map

  bool operator==(const Tensor&) const = default;
};

/// A tensor map before the sweep's values are put in. A word is one of tensor_words() or a parameter's name.
struct TensorSpec {
  std::string type;
  std::vector<Product> dims, box;
  std::string swizzle = "none", interleave = "none", promotion = "none", oob = "zeros";
  std::vector<std::int64_t> lower, upper;
  Product channels, pixels;
};

struct TensorWords {
  std::vector<std::string> type, swizzle, interleave, promotion, oob;
};

/// The words that a tensor map may use, in the order of the driver's enumerations.
[[nodiscard]] const TensorWords& tensor_words();

}  // namespace warpclock

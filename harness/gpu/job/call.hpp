#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// What a buffer holds before the first launch. Random floats are in [-1, 1), random integers use all bits.
enum class CallFill { Zeros, Ones, Iota, Random };
[[nodiscard]] const std::vector<std::string>& call_fill_names();  ///< in the order of enum CallFill

/// The type of a scalar, or of the elements of a buffer.
enum class CallType { F32, F16, Bf16, F64, I32, U32, I64, U64, I8, U8 };
[[nodiscard]] const std::vector<std::string>& call_type_names();  ///< in the order of enum CallType
[[nodiscard]] std::int64_t bytes_of(CallType type);
/// The bits of `value` in the low bytes; a value that an integer type does not hold is reduced modulo its size.
[[nodiscard]] std::uint64_t bits_of(CallType type, double value);

struct CallArgument {
  std::int64_t bytes = 0;  ///< of a buffer on the device, whose address is the argument; 0: a scalar
  CallType type = CallType::F32;
  CallFill fill = CallFill::Zeros;
  double value = 0;  ///< of a scalar

  bool operator==(const CallArgument&) const = default;
};

/// C = A B^T by a library: f16 inputs, sums and result in f32. A is m x k, B is n x k and C is m x n, all by rows.
struct LibraryGemm {
  std::int64_t m = 0, n = 0, k = 0;  ///< 0: no library is asked for

  bool operator==(const LibraryGemm&) const = default;
};

/// A launch of a kernel that has arguments of its own, unlike the kernel of a probe. Buffers are filled once, before
/// the first launch.
struct Call {
  std::string symbol;  ///< empty: the job has no such launch
  std::vector<std::int64_t> grid = {1, 1, 1}, block = {1, 1, 1};
  std::int64_t shared_bytes = 0;  ///< dynamic, of a block
  bool cold = false;              ///< L2 is swept before each launch; else the launch before has warmed it
  std::int64_t launches = 15;
  std::vector<CallArgument> arguments;
  LibraryGemm library;  ///< the same work, to be timed as the kernel is

  bool operator==(const Call&) const = default;
};

/// Where an argument is among the kernel's parameters, in bytes: at a multiple of its size.
struct ArgumentPlace {
  std::size_t at = 0, size = 0;
};

/// The kernel's parameters as it finds them. `addresses` has one for each buffer.
[[nodiscard]] std::vector<std::byte> packed_arguments(const Call& call, const std::vector<std::uint64_t>& addresses);

/// The elements at the start of a buffer; the rest repeats them. One period of random_period_bytes unless the fill is
/// Iota. Error "data" if the size is no multiple of the type's.
[[nodiscard]] Expected<std::vector<std::byte>> call_pattern(const CallArgument& argument);

}  // namespace warpclock

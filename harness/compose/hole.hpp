#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "code/word.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// The numbers in a quad: random bits; one random bit; numbers from 1 to 2 with random mantissas; 1 or 1.5 (coarse);
/// numbers from 0.5 to 1 (small); the same with random signs (signed).
enum class Values : std::uint8_t {
  Bits,
  Bit,
  F32,
  CoarseF32,
  SmallF32,
  SignedF32,
  F64,
  CoarseF64,
  SignedF64,
  F16,
  CoarseF16,
  SmallF16,
  SignedF16,
  BF16,
  CoarseBF16,
  SmallBF16,
  SignedBF16
};

constexpr std::size_t result_quads = 4, constant_quads = 3;

/// A kernel with a hole between its two clock reads, to be filled with composed words. Before the hole each thread
/// loads random numbers into the registers of the quads, and addresses. After it the thread folds the quads into one
/// word, which reveals a stale read of any of them, and stores that word under its number (`places`).
struct HoleKernel {
  std::string symbol;
  std::size_t code = 0;  ///< where its machine code begins in the image, in bytes
  std::size_t open = 0;  ///< position of the opening clock read in the code, in words
  std::size_t room = 0;  ///< number of words before the closing clock read
};

/// A cubin of several such kernels, all alike.
struct Hole {
  std::string image;
  std::vector<HoleKernel> kernels;
  std::vector<int> quads;  ///< first registers of quads, which are four registers in a row: first the quads for
                           ///< results, then those for constants
  /// Registers that hold the address of a cell of 4, 8 and 16 bytes. Each thread has its own cells; those of all
  /// threads lie one after another. A cell holds its own address: for global memory, the register is the first of a
  /// pair and the smallest cell holds the lower half; for shared memory, it is a single register and every 4 bytes hold
  /// the address.
  std::array<int, 3> global{}, shared{};
  int local = 0;             ///< register: address of 16 bytes of local memory that hold this address four times
  std::vector<int> uniform;  ///< uniform registers that the kernel does not use
  std::vector<int> predicates, uniform_predicates;  ///< predicates that it does not use
  Word barrier;                  ///< the barrier at which the warps of the block meet before the opening clock read
  std::vector<Word> descriptor;  ///< loads the descriptor that global accesses need; empty if they need none
  int descriptor_register = -1;  ///< uniform register of the descriptor
};

/// The contents of the quads in one launch.
struct HoleValues {
  Values results = Values::Bits, constants = Values::Bits;
  int first_thread = 0;  ///< index of the first thread's numbers; at most 1024 together with the block's threads

  bool operator==(const HoleValues&) const = default;
};
/// The values as the `at` argument of a job or kernel.
[[nodiscard]] std::int64_t hole_argument(const HoleValues& values);
/// Added to the argument, it selects the next place for the cells in global memory.
constexpr std::int64_t hole_place = 1LL << 32;
/// Bytes of data that a job needs for cells at `places` places.
[[nodiscard]] std::int64_t hole_data_bytes(std::int64_t places = 1);

/// The PTX of `kernels` kernels, each with room for `room` words. Their names are kernel_mark and a number.
[[nodiscard]] std::string hole_source(std::size_t room, std::size_t kernels);

/// Reads back what ptxas made of the source. Errors: "hole" if it does not have the structure of a hole; those of
/// code_sections().
[[nodiscard]] Expected<Hole> find_hole(std::string image, std::span<const Listing> listings);

/// The machine code of an image's kernels. Errors: those of the disassembler; "listing".
[[nodiscard]] Expected<std::vector<Listing>> listings_of(const Arch& arch, const std::string& nvdisasm,
                                                         const std::string& image);

/// Assembles the result of hole_source() for an architecture and reads it back; the kernels are called "hole0" and so
/// on. Errors: "ptxas", "compile-error"; those of listings_of() and find_hole().
[[nodiscard]] Expected<Hole> make_hole(const Arch& arch, const std::string& nvdisasm, const std::string& source);

/// A word with the plainest control field, and its intended meaning.
struct PlacedWord {
  Word word;
  std::string key;  ///< key of its form (fields/form_table.hpp)
  Effects effects;  ///< without the registers of an address
};

/// The contents of one hole.
struct Filling {
  std::vector<Word> before;  ///< precedes the opening clock read: sets registers
  std::vector<Word> window;
  std::vector<Word> after;         ///< follows the closing clock read: moves results to where they are folded
  std::vector<PlacedWord> placed;  ///< every word of these that is not a no-operation, for the read-back
};

/// The number of no-operations after `before`, on either side of the barrier that follows it, after the closing clock
/// read, and after `after`: the last results arrive meanwhile. A warp continues for a few instructions after a barrier
/// at which it waits (BAR.SYNC.DEFER_BLOCKING). Without no-operations before the opening clock read, some warps read
/// the clock hundreds of cycles before others (seen on an H100).
constexpr std::size_t hole_rest = 4;

/// The number of window words that fit in addition to `before` and `after`.
[[nodiscard]] std::size_t room_for_window(const Hole& hole, const Filling& filling);

/// The image with one filling in each kernel, from the first on. The clock reads enclose the window. After `before`, a
/// barrier waits for all scoreboards that `before` sets and for the other warps, which may take different times for it.
/// The closing clock read waits for all scoreboards that the window sets. The remaining words are no-operations. Error
/// "hole" if a filling does not fit.
[[nodiscard]] Expected<std::string> fill_hole(const Hole& hole, std::span<const Filling> fillings);

}  // namespace warpclock

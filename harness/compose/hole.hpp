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

/// What the numbers in a quad are: random bits, one random bit, numbers from 1 to 2 with random mantissas, 1 or 1.5
/// (coarse), from 0.5 to 1 (small), the same with random signs (signed).
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

/// A kernel with a hole between its two clock reads, to be filled with words of our own. Before the hole each thread
/// has random numbers in the registers of the quads, and addresses; behind it the thread folds the quads to one word,
/// in which a stale read of any of them shows, and stores that under its number (`places`).
struct HoleKernel {
  std::string symbol;
  std::size_t code = 0;  ///< where its machine code begins in the image
  std::size_t open = 0;  ///< place of the opening clock read in the code, in words
  std::size_t room = 0;  ///< words up to the closing clock read
};

/// A cubin of several such kernels, all alike.
struct Hole {
  std::string image;
  std::vector<HoleKernel> kernels;
  std::vector<int> quads;  ///< the first registers of four in a row: those for results, then those for constants
  /// Registers with the address of a cell of 4, 8 and 16 bytes of each thread, behind each other over the threads,
  /// which holds its own address: pairs for global memory, where the smallest holds the lower half, and single
  /// registers for shared memory, where every 4 bytes hold it.
  std::array<int, 3> global{}, shared{};
  int local = 0;             ///< register: address of 16 bytes of local memory that hold this address four times
  std::vector<int> uniform;  ///< uniform registers that the kernel has no use for
  std::vector<int> predicates, uniform_predicates;  ///< likewise
  Word barrier;                  ///< at which the warps of the block meet in front of the opening clock read
  std::vector<Word> descriptor;  ///< loads the descriptor that global accesses want; empty where there is none
  int descriptor_register = -1;  ///< uniform register of the descriptor
};

/// What the quads of one launch hold.
struct HoleValues {
  Values results = Values::Bits, constants = Values::Bits;
  int first_thread = 0;  ///< whose numbers the first thread gets; up to 1024 with the threads of the block

  bool operator==(const HoleValues&) const = default;
};
/// As the `at` of a job or kernel.
[[nodiscard]] std::int64_t hole_argument(const HoleValues& values);
/// What the next of the places has beyond that, at which the cells of global memory can be.
constexpr std::int64_t hole_place = 1LL << 32;
/// Of the job's data, for cells in so many places.
[[nodiscard]] std::int64_t hole_data_bytes(std::int64_t places = 1);

/// The PTX of so many kernels, each with room for so many words. Their names are kernel_mark and a number.
[[nodiscard]] std::string hole_source(std::size_t room, std::size_t kernels);

/// What ptxas made of it, read back. Error "hole" when that is not what a hole is; those of code_sections().
[[nodiscard]] Expected<Hole> find_hole(std::string image, std::span<const Listing> listings);

/// The machine code of an image's kernels. Errors: those of the disassembler; "listing".
[[nodiscard]] Expected<std::vector<Listing>> listings_of(const Arch& arch, const std::string& nvdisasm,
                                                         const std::string& image);

/// What hole_source() gave, assembled and read back for an architecture; the kernels are called "hole0" and so on.
/// Errors: "ptxas", "compile-error"; those of listings_of() and find_hole().
[[nodiscard]] Expected<Hole> make_hole(const Arch& arch, const std::string& nvdisasm, const std::string& source);

/// A word with the plainest control field, and what it was meant to be.
struct PlacedWord {
  Word word;
  std::string key;  ///< of its form (fields/form_table.hpp)
  Effects effects;  ///< registers of an address are not in it
};

/// What goes into a hole.
struct Filling {
  std::vector<Word> before;  ///< the opening clock read: sets registers
  std::vector<Word> window;
  std::vector<Word> after;         ///< the closing clock read: brings results where they are folded
  std::vector<PlacedWord> placed;  ///< every word of these that is not a no-operation, to be read back
};

/// No-operations behind `before` and on either side of the barrier that follows it, behind the closing clock read and
/// behind `after`: the last results arrive meanwhile. A warp goes on for a few instructions behind a barrier that it
/// waits at (BAR.SYNC.DEFER_BLOCKING); without those in front of the opening clock read, some warps read it hundreds of
/// cycles before the others (seen on an H100).
constexpr std::size_t hole_rest = 4;

/// Words of the window that find room beside what is before and after it.
[[nodiscard]] std::size_t room_for_window(const Hole& hole, const Filling& filling);

/// The image with one filling in each kernel, from the first on. The clock reads go around the window; what is behind
/// `before` waits for all scoreboards that it sets and for the other warps, which it keeps waiting for different times,
/// and the closing one for all that the window sets. What is left are no-operations. Error "hole" when there is no
/// room.
[[nodiscard]] Expected<std::string> fill_hole(const Hole& hole, std::span<const Filling> fillings);

}  // namespace warpclock

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "compile/cache.hpp"
#include "plan/arch.hpp"

namespace warpclock {

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
  int local = 0;     ///< register: address of 16 bytes of local memory that hold this address four times
  int mbarrier = 0;  ///< register: address of an initialized mbarrier of the warp in shared memory
  int counter = 0;   ///< register that holds nothing which anything reads
  /// The first of accumulator_registers registers, and of four that hold the descriptors of two matrices; -1 in a hole
  /// that is not for warp groups.
  int accumulators = -1, descriptors = -1;
  std::vector<int> uniform;                         ///< uniform registers that the kernel does not use
  std::vector<int> predicates, uniform_predicates;  ///< predicates that it does not use
  Word to_itself;                                   ///< a branch to itself, with which the kernel ends
  Word barrier;                  ///< the barrier at which the warps of the block meet before the opening clock read
  std::vector<Word> descriptor;  ///< loads the descriptor that global accesses need; empty if they need none
  int descriptor_register = -1;  ///< uniform register of the descriptor
};

/// Finds the uniform registers and the predicates of both kinds that occur nowhere in the listing.
void find_free(const Listing& listing, Hole& hole);
/// Finds the descriptor with which the kernel stores after its closing clock read, and the word that loads it.
void find_descriptor(const Listing& listing, std::size_t close, Hole& hole);
/// The word of a branch to itself. Error "hole" if there is none.
[[nodiscard]] Expected<Word> branch_to_itself(const Listing& listing);
/// The last barrier before the opening clock read. Error "hole" if there is none.
[[nodiscard]] Expected<Word> barrier_before(const Listing& listing, std::size_t open);

/// The machine code of an image's kernels. Errors: those of the disassembler; "listing".
[[nodiscard]] Expected<std::vector<Listing>> listings_of(const Arch& arch, const std::string& nvdisasm,
                                                         const std::string& image);

/// Assembles the result of hole_source() for an architecture and reads it back; the kernels are called "hole0" and so
/// on. With a cache, what these programs make of this source is taken from there, or stored there. Errors: "ptxas",
/// "compile-error"; those of listings_of() and find_hole().
[[nodiscard]] Expected<Hole> make_hole(const Arch& arch, const std::string& nvdisasm, const std::string& source,
                                       Cache* cache = nullptr);

}  // namespace warpclock

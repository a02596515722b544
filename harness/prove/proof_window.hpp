#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "compose/movers.hpp"
#include "execute/launch.hpp"
#include "fields/form.hpp"
#include "inspect/load.hpp"
#include "plan/arch.hpp"
#include "prove/operands.hpp"

namespace warpclock {

/// A hole of HoleUse::Operands, and what the executor needs to execute it.
struct ProofFrame {
  Arch arch;
  std::string nvdisasm;
  const Hole& hole;
  Movers movers;
  LoadedKernel kernel;  ///< the first of the hole's kernels, which are all alike
};

/// The hole must outlive it. Errors: those of listings_of() and kernel_facts().
[[nodiscard]] Expected<ProofFrame> proof_frame(const Arch& arch, const std::string& nvdisasm, const Hole& hole);

/// Where such a kernel has its argument in constant bank 0.
[[nodiscard]] std::uint32_t arguments_at(const KernelFacts& facts, const BankPlaces& places);

/// One launch of a form's image.
struct ProofLaunch {
  std::size_t filling = 0;  ///< which kernel of the image
  std::size_t operands = 0;
  OperandsOf of = OperandsOf::Thread;
};

/// A form in kernels that load its operands, execute it once, and store its results.
struct ProofWindow {
  std::string key;
  std::vector<Filling> fillings;  ///< one, or several that differ in the numbers of the form
  std::string image;
  bool memory = false;  ///< whether it accesses memory, whose cells are compared as well
  std::vector<ProofLaunch> launches;
  std::size_t sets = 0;         ///< of operands: threads, or warps where the operands are those of a warp
  std::optional<Error> reason;  ///< why there is none
};

/// The window of a form. Its launches have 1,024 sets of operands or more; the numbers in its text are those of the
/// form's word and three others of their fields. `reason`: that of machine_subject() or the placer; "control-flow" and
/// "set-up" also for forms whose effect is not in registers or memory.
[[nodiscard]] ProofWindow proof_window(const ProofFrame& frame, const WordForm& form);

/// Has the disassembler read all words that these windows place. A window with a word that is read as something else
/// gets the reason "read-back"; one of its numbers is left out instead where it has others.
class PlacedTexts {
 public:
  PlacedTexts(const ProofFrame& frame, std::span<ProofWindow> windows);

  /// The instruction of a word without its control field; null if it was not placed.
  [[nodiscard]] const Instruction* find(const Word& word) const;

 private:
  std::map<Word, Instruction> texts_;
};

/// The kernel of a filling of the image, as the executor reads it: word by word from the image. Error "listing" if a
/// word is neither the hole's nor a placed one.
[[nodiscard]] Expected<LoadedKernel> kernel_in(const ProofFrame& frame, const PlacedTexts& texts,
                                               const std::string& image, std::size_t filling);

}  // namespace warpclock

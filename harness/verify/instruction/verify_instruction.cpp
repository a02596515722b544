#include "verify/instruction/verify_instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "verify/chain.hpp"
#include "verify/instruction/linkage.hpp"
#include "verify/verdict.hpp"
#include "verify/window.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_even = 8;
constexpr double least_share = 0.85;

class InstructionVerifier {
 public:
  InstructionVerifier(const std::vector<Kernel>& kernels, const PtxInstruction& instruction,
                      const Experiment& experiment, const Expansion& expansion)
      : kernels_(kernels), instruction_(instruction), experiment_(experiment), expansion_(expansion) {}

  InstructionVerdict judge() {
    if (std::optional<Rejection> rejection = rule()) {
      result_.code = std::move(rejection->code);
      result_.text = std::move(rejection->text);
    }
    return std::move(result_);
  }

 private:
  std::optional<Rejection> rule() {
    for (const Kernel& kernel : kernels_) {
      if (std::optional<Rejection> rejection = frame(kernel)) return rejection;
    }
    for (const auto judge :
         {&InstructionVerifier::growth, &InstructionVerifier::content, &InstructionVerifier::average})
      if (std::optional<Rejection> rejection = (this->*judge)()) return rejection;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (std::optional<Rejection> rejection = closing(i)) return rejection;
    }
    return experiment_.question == Question::Latency ? chain() : std::nullopt;
  }

  /// Checks clock reads, control flow and scoreboards. content() checks which instructions may be in the window.
  std::optional<Rejection> frame(const Kernel& kernel) {
    Expectation anything;
    for (const Instruction& one : kernel.listing.instructions) {
      if (!is_no_operation(one) || expansion_.pauses) anything.also.push_back(one.opcode);
    }
    sort_once(anything.also);
    anything.loop = expansion_.branches || in_loop();
    anything.calls = expansion_.calls;
    anything.close = Close::Issue;
    Verdict verdict = verify(kernel.listing, anything, {}, kernel.n);
    std::pair<std::size_t, std::size_t> copies{verdict.open + 1, verdict.close};
    const auto loop = widest_loop(kernel.listing, copies.first, copies.second);
    if (in_loop() && loop) copies = *loop;
    Kinds kinds;
    for (std::size_t i = copies.first; i < copies.second; ++i)
      if (const std::string kind = kind_of(kernel.listing.instructions[i]); !kind.empty()) ++kinds[kind];
    counts_.push_back(std::move(kinds));
    std::optional<Rejection> rejection;
    if (!verdict.verified()) {
      rejection = Rejection{verdict.code, verdict.text};
    } else if (in_loop() && !loop) {
      rejection = Rejection{"count", "the compiler left no loop in the window"};
    }
    result_.verdicts.push_back(std::move(verdict));
    return rejection;
  }

  /// Whether the copies are in a loop inside the window. If so, only the loop is counted.
  [[nodiscard]] bool in_loop() const { return experiment_.trips > 1; }

  [[nodiscard]] std::vector<std::int64_t> repeats() const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < kernels_.size(); ++i) all.push_back(copies(i));
    return all;
  }
  [[nodiscard]] std::int64_t copies(std::size_t i) const { return kernels_[i].n * experiment_.ilp; }

  /// Each further copy must add the same instructions, from each repeat count to the next.
  std::optional<Rejection> growth() {
    std::set<std::string> kinds;
    for (const Kinds& some : counts_)
      for (const auto& [kind, count] : some) kinds.insert(kind);
    const auto count = [&](std::size_t i, const std::string& kind) { return count_of(counts_[i], kind); };
    for (const std::string& kind : kinds) {
      const bool shares = (prepares(kind) && proper()) || is_constant(kind);
      if (may_vary(kind) || shares) {
        const std::size_t last = kernels_.size() - 1;
        const std::int64_t mean = (count(last, kind) - count(0, kind)) / (copies(last) - copies(0));
        if (mean > 0) result_.copy[kind] = mean;
        if (shares && !may_vary(kind)) {
          if (auto uneven = uneven_sharing(kind, counts_, repeats())) return Rejection{"count", *uneven};
        }
        continue;
      }
      std::optional<std::int64_t> each;
      for (std::size_t i = 1; i < kernels_.size(); ++i) {
        std::int64_t more = count(i, kind) - count(i - 1, kind);
        const std::int64_t further = copies(i) - copies(i - 1);
        // At the beginning and end of the loop the compiler may need a move more or less.
        const bool loose = std::abs(more % further) <= most_loose && (is_link_kind(kind) || prepares(kind));
        if (loose) more -= more % further;
        if (more % further != 0 || (each && *each != more / further) || more < 0) {
          return Rejection{
              merged() ? "folded" : "count",
              fmt::format("{} more copies add {} x {} to the window: not the same for each copy", further, more, kind)};
        }
        each = more / further;
      }
      if (each && *each > 0) result_.copy[kind] = *each;
      base_[kind] = count(0, kind) - each.value_or(0) * copies(0);
    }
    return std::nullopt;
  }

  /// If one instance is long, branches or calls, the compiler moves values into place differently for each copy.
  [[nodiscard]] bool large() const { return total(expansion_.kinds) > most_even; }
  [[nodiscard]] bool uneven() const { return expansion_.calls || expansion_.branches || large(); }
  [[nodiscard]] bool may_vary(const std::string& kind) const {
    return uneven() && (is_filler(kind) || (large() && is_link_kind(kind)));
  }

  // An iteration of a block is all of it: parts that do not depend on the chained source belong to it too.
  [[nodiscard]] bool is_whole() const { return instruction_.is_block() && instruction_.asked.empty(); }
  [[nodiscard]] std::int64_t shared(const std::string& kind) const {
    return is_whole() ? 0 : shared_parts(expansion_.parts, kind, experiment_);
  }
  [[nodiscard]] std::int64_t unread(const std::string& kind) const {
    return is_whole() ? 0 : unread_parts(expansion_.parts, kind, instruction_, experiment_);
  }

  /// Whether the kind only brings constants into place, which copies may share.
  [[nodiscard]] bool is_constant(const std::string& kind) const {
    const std::int64_t count = count_of(expansion_.kinds, kind);
    return count > 0 && is_link_kind(kind) && shared(kind) == count && experiment_.question == Question::Throughput;
  }

  /// ptxas puts three loads from shared memory, which nothing reads, before the first LDGSTS.
  [[nodiscard]] bool prepares(const std::string& kind) const {
    const auto copies_async = [](const auto& entry) { return entry.first.starts_with("LDGSTS"); };
    return is_preparation(kind) || (kind == "LDS" && std::ranges::any_of(expansion_.kinds, copies_async));
  }

  /// Whether one instance is more than the preparation of its operands.
  [[nodiscard]] bool proper() const {
    return std::ranges::any_of(expansion_.kinds, [this](const auto& entry) { return !prepares(entry.first); });
  }

  /// Whatever the copies share, a copy must not be smaller than most of one instance.
  std::optional<Rejection> average() {
    const auto further = static_cast<double>(copies(kernels_.size() - 1) - copies(0));
    const double each = static_cast<double>(total(counts_.back()) - total(counts_.front())) / further -
                        static_cast<double>(total(links_));
    const auto whole =
        static_cast<double>(total(expansion_.kinds) - total(hoisted_) - total(skipped_) - total(renamed_));
    add_note(sharing_note(hoisted_, skipped_, counts_, repeats()));
    if (!renamed_.empty()) add_note(list(renamed_) + " is left out: the copies have registers of their own");
    if (each >= least_share * whole) return std::nullopt;
    return Rejection{
        "folded",
        fmt::format("one instance becomes {} instructions, but each copy in the window is {:.1f}", whole, each)};
  }

  /// Whether the largest window holds fewer instructions than its copies need.
  [[nodiscard]] bool merged() const {
    return total(counts_.back()) < copies(kernels_.size() - 1) * total(expansion_.kinds);
  }

  std::optional<Rejection> content() {
    if (result_.copy.empty()) {
      return Rejection{"folded", "further copies add nothing to the window: the compiler computed them away"};
    }
    for (const auto& [kind, count] : expansion_.kinds) {
      const std::int64_t found = count_of(result_.copy, kind);
      if (found >= count || (may_vary(kind) && expansion_.parts.empty())) continue;
      const std::int64_t missing = count - found;
      if (prepares(kind) && proper()) {
        // Copies with chosen registers need no move from one register to another.
        const std::int64_t renamed =
            experiment_.composed && kind == "move" ? std::max<std::int64_t>(0, missing - shared(kind)) : 0;
        if (renamed > 0) renamed_[kind] = renamed;
        if (missing > renamed) hoisted_[kind] = missing - renamed;
        continue;
      }
      const std::int64_t once = std::min(missing, shared(kind)), skipped = std::min(missing - once, unread(kind));
      if (once > 0) hoisted_[kind] = once;
      if (skipped > 0) skipped_[kind] = skipped;
      if (once + skipped == missing || may_vary(kind)) continue;
      const bool less = total(result_.copy) < total(expansion_.kinds);
      return Rejection{less ? "folded" : "rewritten",
                       fmt::format("one instance becomes {}, but each copy in the window is {}", list(expansion_.kinds),
                                   list(result_.copy))};
    }
    for (const auto& [kind, count] : result_.copy) {
      const std::int64_t extra = count - count_of(expansion_.kinds, kind);
      if (extra <= 0 || may_vary(kind)) continue;
      if (!may_link(kind)) {
        return Rejection{"foreign-opcode", fmt::format("each copy brings {} x {} into the window, which one instance "
                                                       "does not become",
                                                       extra, kind)};
      }
      links_[kind] = extra;
    }
    for (const auto& [kind, count] : base_) {
      // Work that is done once, or only for the last copy, may lie in the window.
      if (count > 0 && count <= shared(kind) + unread(kind)) continue;
      if (count == 0 || (count >= -most_loose && (is_link_kind(kind) || prepares(kind))) || may_vary(kind)) continue;
      if (count > 0 && in_loop() && is_loop_control(kind)) continue;
      return Rejection{count < 0 ? "count" : "foreign-opcode",
                       fmt::format("the window holds {} x {} {} than its copies account for", std::abs(count), kind,
                                   count < 0 ? "less" : "more")};
    }
    return std::nullopt;
  }

  void add_note(const std::string& note) {
    if (!note.empty()) result_.note += (result_.note.empty() ? "" : "; ") + note;
  }

  /// Only moves and conversions may link copies, and nothing may stand between those of a throughput.
  [[nodiscard]] bool may_link(const std::string& kind) const {
    return is_link_kind(kind) && experiment_.question == Question::Latency;
  }

  /// Every result is read or overwritten before the closing clock read; wait() reads the last ones.
  std::optional<Rejection> closing(std::size_t at) {
    if (expansion_.calls) return std::nullopt;  // the subroutine reads its arguments outside the window
    const Listing& listing = kernels_[at].listing;
    const Verdict& verdict = result_.verdicts[at];
    for (const std::size_t i : unread_results(def_use(listing, verdict.open + 1, verdict.close))) {
      // A move of a result waits for the result and serves the next pass.
      const Instruction& last = listing.instructions[i];
      if (experiment_.composed && awaited(listing, i, verdict.close)) continue;
      if (is_exclusive_or(last) || (needs_no_wait(kind_of(last)) && !variable_latency(last))) continue;
      return Rejection{"open-window", fmt::format("the closing read does not wait for {}: nothing reads its result",
                                                  cite(listing, i))};
    }
    return std::nullopt;
  }

  /// Whether its latency is fixed, so that it delays every window by as much, or the closing clock read waits for its
  /// scoreboard.
  static bool awaited(const Listing& listing, std::size_t at, std::size_t close) {
    const Instruction& one = listing.instructions[at];
    const int scoreboard = one.control.write_barrier;
    if (scoreboard < 0) return !variable_latency(one);
    int cycles = 0;
    for (std::size_t i = at; i < close; ++i) cycles += issue_distance(listing.instructions[i].control);
    return (listing.instructions[close].control.wait_mask >> scoreboard & 1U) != 0 &&
           cycles >= least_scoreboard_distance;
  }

  std::optional<Rejection> chain() {
    const auto linkage = linkage_of({.kernels = kernels_,
                                     .verdicts = result_.verdicts,
                                     .expansion = expansion_,
                                     .links = links_,
                                     .uneven = uneven(),
                                     .block = instruction_.is_block()});
    if (!linkage) return Rejection{linkage.error().code, linkage.error().text};
    result_.encoded_cycles = linkage->encoded_cycles;
    result_.waited_cycles = linkage->waited_cycles;
    result_.unencoded = linkage->unencoded;
    result_.via = linkage->via;
    // If the chain of a block does not repeat evenly, the cost of the links cannot be subtracted.
    if (instruction_.is_block() && !linkage->separable && !links_.empty())
      add_note(list(links_) + " that link the copies are part of it");
    return std::nullopt;
  }

  const std::vector<Kernel>& kernels_;
  const PtxInstruction& instruction_;
  const Experiment& experiment_;
  const Expansion& expansion_;
  std::vector<Kinds> counts_;
  Kinds base_, links_, hoisted_, skipped_, renamed_;
  InstructionVerdict result_;
};

}  // namespace

InstructionVerdict verify_instruction(const std::vector<Kernel>& kernels, const PtxInstruction& instruction,
                                      const Experiment& experiment, const Expansion& expansion) {
  return InstructionVerifier(kernels, instruction, experiment, expansion).judge();
}

}  // namespace warpclock

#include "build/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "build/chain.hpp"
#include "build/path.hpp"
#include "build/window.hpp"
#include "build/wording.hpp"

namespace warpclock {
namespace {

/// Kinds that may link copies, or carry a result to the closing clock.
bool is_glue(const std::string& kind) {
  constexpr std::array<std::string_view, 8> exact{
      "move", "integer add", "integer add with carry", "LOP3", "shift left", "select", "PRMT", "LEA"};
  constexpr std::array<std::string_view, 9> families{"ISETP", "SHF",  "P2R",  "R2P", "PLOP3",
                                                     "LEA",   "IMAD", "R2UR", "CS2R"};
  if (std::ranges::find(exact, kind) != exact.end()) return true;
  return std::ranges::any_of(families, [&](std::string_view family) { return kind.starts_with(family); });
}

constexpr std::int64_t most_loose = 2;
constexpr std::int64_t most_even = 8;
constexpr double least_share = 0.85;

std::string list(const Kinds& kinds) {
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", count == 1 ? "" : fmt::format("{} x ", count), kind);
  }
  return text;
}

/// What weaving puts between two copies, with HADD2.F32 where a half is on the way.
bool is_thread(const std::string& kind) {
  return kind == "FADD" || kind == "half arithmetic" || kind == "LOP3 majority";
}

/// Kinds that bring a constant or a value into place, or frame a branch.
bool is_filler(const std::string& kind) {
  constexpr std::array<std::string_view, 5> frames{"BRA", "BSSY", "BSYNC", "BREAK", "WARPSYNC"};
  if (kind == "move" || kind == "half arithmetic") return true;
  return std::ranges::any_of(frames, [&](std::string_view frame) { return kind.starts_with(frame); });
}

/// Kinds that bring an operand into the form that the instruction proper reads. For an operand that is the same for all
/// copies this is done once.
bool is_preparation(const std::string& kind) {
  constexpr std::array<std::string_view, 9> kinds{"PRMT", "move", "UMOV", "ULDC", "LDC", "S2R", "S2UR", "R2UR", "SGXT"};
  return std::ranges::any_of(kinds, [&](std::string_view start) { return kind.starts_with(start); });
}

struct Objection {
  std::string code, text;
};
using Ruling = std::optional<Objection>;

class Inspector {
 public:
  Inspector(const std::vector<Kernel>& kernels, const PtxInstruction& instruction, const Experiment& experiment,
            const Expansion& expansion)
      : kernels_(kernels), instruction_(instruction), experiment_(experiment), expansion_(expansion) {}

  Inspection inspect() {
    if (Ruling objection = rule()) {
      result_.code = std::move(objection->code);
      result_.text = std::move(objection->text);
    }
    return std::move(result_);
  }

 private:
  Ruling rule() {
    for (const Kernel& kernel : kernels_) {
      if (Ruling objection = frame(kernel)) return objection;
    }
    if (Ruling objection = growth()) return objection;
    if (Ruling objection = content()) return objection;
    if (Ruling objection = average()) return objection;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (Ruling objection = closing(i)) return objection;
    }
    return experiment_.question == Question::Latency ? chain() : std::nullopt;
  }

  /// Clock reads, flow and scoreboards. Which instructions may be there is content()'s part.
  Ruling frame(const Kernel& kernel) {
    Expectation anything;
    for (const Instruction& one : kernel.listing.instructions) {
      if (!is_no_operation(one) || expansion_.pauses) anything.also.push_back(one.opcode);
    }
    std::ranges::sort(anything.also);
    anything.also.erase(std::ranges::unique(anything.also).begin(), anything.also.end());
    anything.loop = expansion_.branches;
    anything.calls = expansion_.calls;
    anything.close = Close::Issue;
    Verdict verdict = verify(kernel.listing, anything, {}, kernel.n);
    Kinds kinds;
    for (std::size_t i = verdict.open + 1; i < verdict.close; ++i) {
      if (const std::string kind = kind_of(kernel.listing.instructions[i]); !kind.empty()) ++kinds[kind];
    }
    counts_.push_back(std::move(kinds));
    Ruling objection;
    if (!verdict.verified()) objection = Objection{verdict.code, verdict.text};
    result_.verdicts.push_back(std::move(verdict));
    return objection;
  }

  [[nodiscard]] std::int64_t copies(std::size_t i) const { return kernels_[i].n * experiment_.ilp; }

  /// The same per copy from each repeat count to the next.
  Ruling growth() {
    std::set<std::string> kinds;
    for (const Kinds& some : counts_) {
      for (const auto& [kind, count] : some) kinds.insert(kind);
    }
    const auto count = [&](std::size_t i, const std::string& kind) {
      const auto at = counts_[i].find(kind);
      return at == counts_[i].end() ? std::int64_t{0} : at->second;
    };
    for (const std::string& kind : kinds) {
      if (may_vary(kind) || (prepares(kind) && proper())) {
        const std::size_t last = kernels_.size() - 1;
        const std::int64_t mean = (count(last, kind) - count(0, kind)) / (copies(last) - copies(0));
        if (mean > 0) result_.copy[kind] = mean;
        continue;
      }
      std::optional<std::int64_t> each;
      for (std::size_t i = 1; i < kernels_.size(); ++i) {
        std::int64_t more = count(i, kind) - count(i - 1, kind);
        const std::int64_t further = copies(i) - copies(i - 1);
        // Where the loop begins and ends, the compiler may need a move more or less.
        const bool loose = std::abs(more % further) <= most_loose && (is_glue(kind) || prepares(kind));
        if (loose) more -= more % further;
        if (more % further != 0 || (each && *each != more / further) || more < 0) {
          return Objection{
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

  /// Where one instance is a long piece of code, or branches or calls, the compiler brings values into place in another
  /// way for each copy.
  [[nodiscard]] bool large() const { return total(expansion_.kinds) > most_even; }
  [[nodiscard]] bool uneven() const { return expansion_.calls || expansion_.branches || large(); }
  [[nodiscard]] bool may_vary(const std::string& kind) const {
    return uneven() && (is_filler(kind) || (large() && is_glue(kind)));
  }

  /// Three loads from shared memory, which nobody reads, stand before the first LDGSTS.
  [[nodiscard]] bool prepares(const std::string& kind) const {
    const auto copies_async = [](const auto& entry) { return entry.first.starts_with("LDGSTS"); };
    return is_preparation(kind) || (kind == "LDS" && std::ranges::any_of(expansion_.kinds, copies_async));
  }

  /// Whether one instance is more than the preparation of its operands.
  [[nodiscard]] bool proper() const {
    return std::ranges::any_of(expansion_.kinds, [this](const auto& entry) { return !prepares(entry.first); });
  }

  /// All the same, a copy must not be less than one instance is.
  Ruling average() {
    const auto further = static_cast<double>(copies(kernels_.size() - 1) - copies(0));
    const double each = static_cast<double>(total(counts_.back()) - total(counts_.front())) / further -
                        static_cast<double>(total(links_));
    const auto whole = static_cast<double>(total(expansion_.kinds) - total(hoisted_));
    if (!hoisted_.empty()) result_.note = list(hoisted_) + " is done once for all copies";
    if (each >= least_share * whole) return std::nullopt;
    return Objection{
        "folded",
        fmt::format("one instance becomes {} instructions, but each copy in the window is {:.1f}", whole, each)};
  }

  /// Whether the largest window holds less than its copies are.
  [[nodiscard]] bool merged() const {
    return total(counts_.back()) < copies(kernels_.size() - 1) * total(expansion_.kinds);
  }

  Ruling content() {
    if (result_.copy.empty()) {
      return Objection{"folded", "further copies add nothing to the window: the compiler computed them away"};
    }
    for (const auto& [kind, count] : expansion_.kinds) {
      const auto at = result_.copy.find(kind);
      const std::int64_t found = at == result_.copy.end() ? 0 : at->second;
      if (found >= count || may_vary(kind)) continue;
      if (prepares(kind) && proper()) {
        hoisted_[kind] = count - found;
        continue;
      }
      const bool less = total(result_.copy) < total(expansion_.kinds);
      return Objection{less ? "folded" : "rewritten",
                       fmt::format("one instance becomes {}, but each copy in the window is {}", list(expansion_.kinds),
                                   list(result_.copy))};
    }
    for (const auto& [kind, count] : result_.copy) {
      const auto at = expansion_.kinds.find(kind);
      const std::int64_t extra = count - (at == expansion_.kinds.end() ? 0 : at->second);
      if (extra <= 0 || may_vary(kind)) continue;
      if (!may_link(kind)) {
        return Objection{"foreign-opcode", fmt::format("each copy brings {} x {} into the window, which one instance "
                                                       "does not become",
                                                       extra, kind)};
      }
      links_[kind] = extra;
    }
    if (Ruling objection = merged_companions()) return objection;
    for (const auto& [kind, count] : base_) {
      if (count == 0 || (count >= -most_loose && (is_glue(kind) || prepares(kind))) || may_vary(kind)) continue;
      if (count > 0 && experiment_.trick == Trick::Spread && is_thread(kind)) continue;  // see matters()
      return Objection{count < 0 ? "count" : "foreign-opcode",
                       fmt::format("the window holds {} x {} {} than its copies account for", std::abs(count), kind,
                                   count < 0 ? "less" : "more")};
    }
    return std::nullopt;
  }

  /// The companions that the kernel puts with each copy, by kind.
  [[nodiscard]] Kinds companions() const {
    const auto words = [](const Operand& of) { return std::max(1, bits(of.file) / 32) * of.elements; };
    Instruction add;
    add.opcode = "HADD2";
    const std::string half = kind_of(add);
    Kinds kinds;
    if (is_woven(experiment_.trick)) {
      const Operand& from = instruction_.operands[experiment_.links.front().from];
      const bool adds = experiment_.trick == Trick::WovenAdd;
      kinds[adds ? "FADD" : "LOP3 majority"] = words(instruction_.operands[experiment_.links.front().to]);
      if (from.file == RegisterClass::B16) kinds[half] = from.elements;
    } else if (experiment_.trick == Trick::Refreshed) {
      for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
        const Operand& of = instruction_.operands[i];
        const bool linked = !experiment_.links.empty() && experiment_.links.front().to == i;
        if (!of.read || of.written || of.address || linked || !of.immediate.empty()) continue;
        if (of.file == RegisterClass::B16) kinds[half] += of.elements;
        if (of.file == RegisterClass::B32 || of.file == RegisterClass::B64) kinds["FADD"] += words(of);
      }
      for (auto& [kind, count] : kinds) count /= experiment_.ilp;
    }
    return kinds;
  }

  /// Companions of the same kind as the instruction must all stand beside it, or one of them stands in its place: x + e
  /// for |x| + e where the compiler knows the sign.
  Ruling merged_companions() const {
    const Kinds brought = companions();
    bool merged = is_woven(experiment_.trick) &&
                  std::ranges::none_of(links_, [](const auto& link) { return is_thread(link.first); });
    for (const auto& [kind, count] : brought) {
      const auto extra = links_.find(kind);
      if (!expansion_.kinds.contains(kind) || may_vary(kind)) continue;
      merged |= extra == links_.end() || extra->second < count;
    }
    if (!merged) return std::nullopt;
    return Objection{"rewritten",
                     fmt::format("one instance becomes {}, and with {} beside each, a copy in the window is "
                                 "{}",
                                 list(expansion_.kinds), list(brought), list(result_.copy))};
  }

  /// What stands between copies of a throughput must leave their pipe and their issue slots alone.
  [[nodiscard]] bool may_link(const std::string& kind) const {
    const bool threaded = is_woven(experiment_.trick) || experiment_.trick == Trick::Refreshed;
    return (threaded && is_thread(kind)) || (is_glue(kind) && experiment_.question == Question::Latency);
  }

  /// What refreshes an operand is beside the chain, never on it.
  [[nodiscard]] bool refreshes(const Instruction& one) const {
    return experiment_.trick == Trick::Refreshed && is_thread(kind_of(one)) && !expansion_.kinds.contains(kind_of(one));
  }

  /// Every result is read, or overwritten, before the closing clock; what reads last is a wait().
  Ruling closing(std::size_t at) {
    if (expansion_.calls) return std::nullopt;  // its arguments are read where the listing does not go
    const Listing& listing = kernels_[at].listing;
    const Verdict& verdict = result_.verdicts[at];
    for (const std::size_t i : unread_results(def_use(listing, verdict.open + 1, verdict.close))) {
      // What moves a result on waits for it, and is there for the next pass.
      const Instruction& last = listing.instructions[i];
      if (refreshes(last) || is_exclusive_or(last) || (is_glue(kind_of(last)) && !variable_latency(last))) continue;
      if (experiment_.trick == Trick::Spread && !matters(listing, i, verdict.close)) continue;
      return Objection{"open-window", fmt::format("the closing read does not wait for {}: nothing reads its result",
                                                  cite(listing, i))};
    }
    return std::nullopt;
  }

  /// Whether a result of a spread throughput that nothing in the window reads leaves the end of the window open. Not
  /// the sum that the last results are added to, because that addition waits for them; not where the latency is fixed,
  /// because what was issued is under way; and not where a later one of its kind is read, which comes out behind it.
  static bool matters(const Listing& listing, std::size_t at, std::size_t close) {
    const Instruction& one = listing.instructions[at];
    if (one.opcode == "FADD" || !variable_latency(one)) return false;
    const std::string kind = kind_of(one);
    for (std::size_t i = at + 1; i < close; ++i) {
      if (kind_of(listing.instructions[i]) == kind) return false;
    }
    return true;
  }

  Ruling chain() {
    std::optional<std::int64_t> step;
    std::vector<std::size_t> path;
    // Several instructions a copy make several chains, and which is longest may change from copy to copy.
    const bool loose = uneven() || (total(expansion_.kinds) > 1 && links_.empty());
    bool even = !uneven();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const Verdict& verdict = result_.verdicts[i];
      std::vector<std::size_t> longest = longest_path(kernels_[i].listing, verdict.open + 1, verdict.close,
                                                      [this](const Instruction& one) { return refreshes(one); });
      if (i > 0) {
        const auto more = static_cast<std::int64_t>(longest.size()) - static_cast<std::int64_t>(path.size());
        const std::int64_t further = kernels_[i].n - kernels_[i - 1].n;
        const bool irregular = more % further != 0 || (step && *step != more / further);
        if (more < further || (irregular && !loose)) {
          return Objection{"broken-chain",
                           fmt::format("{} more copies lengthen the longest chain through registers by {} instructions",
                                       further, more)};
        }
        step = more / further;
        even = even && !irregular;
      }
      path = std::move(longest);
    }
    if (!even) return std::nullopt;
    const Kernel& largest = kernels_.back();
    path.resize(static_cast<std::size_t>(*step * largest.n));
    // The first and the last copies may be scheduled among what surrounds them.
    const std::size_t each = static_cast<std::size_t>(*step), edge = 2 * each;
    const std::vector<std::size_t> inside(path.begin() + static_cast<std::ptrdiff_t>(edge),
                                          path.end() - static_cast<std::ptrdiff_t>(edge));
    if (Ruling objection = periodic(largest.listing, inside, each)) return objection;
    const auto copies = static_cast<std::int64_t>(inside.size() / each);
    result_.encoded_cycles = encoded_distance(largest.listing, inside, copies);
    return take_off_links(largest.listing, inside, each);
  }

  static Ruling periodic(const Listing& listing, const std::vector<std::size_t>& path, std::size_t step) {
    for (std::size_t i = step; i < path.size(); ++i) {
      const std::size_t here = path[i], before = path[i - step];
      if (kind_of(listing.instructions[here]) == kind_of(listing.instructions[before])) continue;
      return Objection{"broken-chain", fmt::format("the chain does not repeat: {} stands where {} stood a copy before",
                                                   cite(listing, here), cite(listing, before))};
    }
    return std::nullopt;
  }

  /// Cycles of the links on the chain, over all copies: what follows a link may run on another pipe in each.
  Ruling take_off_links(const Listing& listing, const std::vector<std::size_t>& path, std::size_t step) {
    const auto& code = listing.instructions;
    for (std::size_t i = 0; i < step && i + 1 < path.size(); ++i) {
      const std::string kind = kind_of(code[path[i]]);
      if (!links_.contains(kind)) continue;
      if (expansion_.kinds.contains(kind)) {
        return Objection{"ambiguous-link",
                         fmt::format("{} both links the copies and is part of them: its share cannot be told", kind)};
      }
      double cycles = 0, times = 0;
      for (std::size_t at = i; at + 1 < path.size(); at += step, ++times) {
        for (std::size_t j = path[at]; j < path[at + 1]; ++j) {
          if (variable_latency(code[path[at]]) || code[j + 1].control.wait_mask != 0) {
            return Objection{"unknown-link", fmt::format("{} links the copies and its latency is not encoded",
                                                         cite(listing, path[at]))};
          }
          cycles += issue_distance(code[j].control);
        }
      }
      result_.via.emplace_back(code[path[i]].name(), cycles / times);
    }
    return std::nullopt;
  }

  const std::vector<Kernel>& kernels_;
  const PtxInstruction& instruction_;
  const Experiment& experiment_;
  const Expansion& expansion_;
  std::vector<Kinds> counts_;
  Kinds base_, links_, hoisted_;
  Inspection result_;
};

}  // namespace

Inspection inspect(const std::vector<Kernel>& kernels, const PtxInstruction& instruction, const Experiment& experiment,
                   const Expansion& expansion) {
  return Inspector(kernels, instruction, experiment, expansion).inspect();
}

}  // namespace warpclock

#include "predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "predict/missing.hpp"
#include "predict/one_prediction.hpp"

namespace warpclock {
namespace {

/// Two answers further apart than this are no answer.
constexpr double widest = 2;

/// Something that nobody said, and the other assumption about it.
struct Doubt {
  std::string what, fix;
  void (*other)(Assumptions&) = nullptr;
  double low = 0, high = 0;  ///< the cycles with the one and with the other
};

std::string level_fix(const OnePrediction& one) {
  std::string fix = "add --hit load=L2 or --hit load=dram";
  if (one.unsized.empty()) return fix + ", or the sizes of the buffers by --buffer N=SIZE";
  fix += ", or";
  for (const int number : one.unsized) fix += fmt::format(" --buffer {}=SIZE", number);
  return fix;
}

std::vector<Doubt> doubts_of(const LoadedKernel& kernel, const OnePrediction& one) {
  std::vector<Doubt> doubts;
  if (one.asks_level)
    doubts.push_back({"which level answers accesses to global memory", level_fix(one),
                      [](Assumptions& how) { how.level = MemoryLevel::Dram; }});
  const auto meets = [&](std::size_t index) { return is_atomic(kernel.listing.instructions[index]); };
  const std::string or_else =
      std::ranges::any_of(one.lanes, meets) ? ", scattered, or all at one word: " : " or scattered: ";
  if (!one.lanes.empty())
    doubts.push_back({"whether lanes are next to each other" + or_else + places_of(kernel, one.lanes),
                      "add --stride ADDRESS=BYTES, or the arguments of the addresses by --arg N=VALUE",
                      [](Assumptions& how) { how.apart = true; }});
  if (!one.jumps.empty())
    doubts.push_back({"which way jumps go: " + places_of(kernel, one.jumps),
                      "add the arguments that decide it by --arg N=VALUE, or executed counts by --counts FILE",
                      [](Assumptions& how) { how.open = OpenWay::Over; }});
  return doubts;
}

/// The energy of both is a range too; its number is that of the fewer cycles. Without one of them there is none.
void widen_energy(Prediction& to, const Prediction& with) {
  if (!to.energy || !with.energy || !to.energy->missing.empty()) return;
  PredictedEnergy range = with.low < to.low || !with.energy->missing.empty() ? *with.energy : *to.energy;
  range.low_j = std::min(to.energy->low_j, with.energy->low_j);
  range.high_j = std::max(to.energy->high_j, with.energy->high_j);
  to.energy = std::move(range);
}

/// The range of two predictions of one kernel, with other assumptions.
void widen(Prediction& to, const Prediction& with) {
  const auto both = [](auto& low, auto& high, const auto& other_low, const auto& other_high) {
    low = std::min(low, other_low);
    high = std::max(high, other_high);
  };
  widen_energy(to, with);
  both(to.low, to.high, with.low, with.high);
  both(to.sm_low, to.sm_high, with.sm_low, with.sm_high);
  for (std::size_t i = 0; i < std::min(to.loops.size(), with.loops.size()); ++i)
    both(to.loops[i].low, to.loops[i].high, with.loops[i].low, with.loops[i].high);
  if (with.limiter != to.limiter && !with.limiter.empty()) {
    const std::string also = "at the other end of the range, the limiter is " + with.limiter;
    if (std::ranges::find(to.assumed, also) == to.assumed.end()) to.assumed.push_back(also);
  }
}

/// Instructions that lack a row, those first of which most is unknown.
std::string unmeasured(const Prediction& made) {
  std::vector<std::string> names;
  for (const UnknownCost& one : made.unknown) names.push_back(one.instruction + " (" + one.what + ")");
  return join_first(names, 5);
}

/// A range that is too wide is none.
void judge_range(Prediction& made, const std::vector<Doubt>& doubts) {
  constexpr double matters = 1.1;
  if (*made.high <= widest * *made.low) return;
  if (std::ranges::none_of(doubts, [](const Doubt& one) { return one.high > widest * one.low; }))
    made.missing.push_back({-1,
                            fmt::format("what instructions without measured costs take gives {:.0f} to {:.0f} cycles, "
                                        "which are no bounds: {}",
                                        *made.low, *made.high, unmeasured(made)),
                            "measure the kernel by `warpclock check`"});
  for (const Doubt& doubt : doubts) {
    if (doubts.size() > 1 && doubt.high <= matters * doubt.low) continue;
    made.missing.push_back(
        {-1,
         fmt::format("{} is not known: assumptions about it give {:.0f} to {:.0f} cycles, which are no bounds",
                     doubt.what, doubt.low, doubt.high),
         doubt.fix});
  }
  silence(made);
}

class RangePredictor {
 public:
  RangePredictor(const LoadedKernel& kernel, const Machine& machine, const PredictOptions& options)
      : kernel_(kernel), machine_(machine), options_(options) {
    how_.level = options.level.value_or(MemoryLevel::L2);
    if (options.limit > 0)
      how_.give_up =
          Time::now() + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(options.limit));
  }

  Expected<Prediction> run() {
    prepared_ = WARPCLOCK_TRY(prepared_kernel(kernel_, machine_, options_));
    OnePrediction base = WARPCLOCK_TRY(predict_assuming(kernel_, machine_, options_, prepared_, how_));
    Prediction& made = base.prediction;
    if (base.asks_level) made.level = "not known, L2 to DRAM";
    if (!made.low) return std::move(made);
    std::vector<Doubt> doubts = doubts_of(kernel_, base);
    const double low = *made.low, high = *made.high;
    Assumptions all = how_;
    for (Doubt& doubt : doubts) {
      Assumptions other = how_;
      doubt.other(other);
      doubt.other(all);
      const Prediction with = WARPCLOCK_TRY(add(made, other));
      if (!made.low) return without_answer(std::move(made), doubt, with);
      doubt.low = std::min(low, *with.low);
      doubt.high = std::max(high, *with.high);
    }
    if (doubts.size() > 1) {
      const Prediction with = WARPCLOCK_TRY(add(made, all));
      if (!made.low) return without_answer(std::move(made), doubts.back(), with);
    }
    judge_range(made, doubts);
    return std::move(made);
  }

 private:
  /// Widens the prediction by that with other assumptions, or silences it if that has no number.
  Expected<Prediction> add(Prediction& made, const Assumptions& other) {
    const OnePrediction with = WARPCLOCK_TRY(predict_assuming(kernel_, machine_, options_, prepared_, other));
    if (with.prediction.low)
      widen(made, with.prediction);
    else
      silence(made);
    return with.prediction;
  }

  static Prediction without_answer(Prediction made, const Doubt& doubt, const Prediction& with) {
    made.missing = with.missing;
    made.missing.push_back({-1, doubt.what + " is not known", doubt.fix});
    made.loops = with.loops;
    return made;
  }

  const LoadedKernel& kernel_;
  const Machine& machine_;
  const PredictOptions& options_;
  PreparedKernel prepared_;
  Assumptions how_;
};

}  // namespace

Expected<Prediction> predict(const LoadedKernel& kernel, const Machine& machine, const PredictOptions& options) {
  return RangePredictor(kernel, machine, options).run();
}

}  // namespace warpclock

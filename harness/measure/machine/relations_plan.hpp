#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compose/hole.hpp"
#include "fields/form_table.hpp"
#include "measure/machine/machine_plan.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A producer and a source operand of a consumer.
struct DependencePlan {
  std::string id;
  MachineSubject producer, consumer;
  ChainRoute through;  ///< through the producer, and back through the consumer
};

/// Every instruction of each class as producer with every one as consumer, as far as the architecture has
/// them: of each pipe, and memory and tensor results.
[[nodiscard]] std::vector<DependencePlan> dependence_plans(const FormTable& forms, const Movers& movers);

/// For a producer of fixed latency: chains through both, whose results show which stall counts are right. For one that
/// sets a scoreboard: the two alternate, the consumer waits, and the next producer issues so long after it that it does
/// not wait for the consumer's pipe; for timing.
[[nodiscard]] Expected<ComposedWindows> dependence_windows(const DependencePlan& plan, const Hole& hole,
                                                           const Movers& movers);

/// The same two for timing, at a stall count from the producer to the consumer. Error "compose" if a scoreboard signals
/// the consumer's result: how long the way back takes would not be known.
[[nodiscard]] Expected<ComposedWindows> timed_dependence_windows(const DependencePlan& plan, int stall,
                                                                 const Hole& hole, const Movers& movers);
/// Cycles from the consumer to the next producer in those.
[[nodiscard]] int way_back(const DependencePlan& plan);

/// A study without results, its forms, and the control fields of its copies.
struct StudyPlan {
  Row study;
  std::vector<MachineSubject> subjects;
  std::vector<int> stalls{1};
  std::vector<bool> yields{false};
};

[[nodiscard]] std::vector<StudyPlan> pair_plans(const FormTable& forms, const Movers& movers);
[[nodiscard]] std::vector<StudyPlan> bank_plans(const FormTable& forms, const Movers& movers);
/// Each plan has one form. Code that later passes find in a cache is also measured with the issue interval in `rows` as
/// stall count, and with the yield hint: both decide how far the warps of a sub-partition drift apart.
[[nodiscard]] std::vector<StudyPlan> fetch_plans(const FormTable& forms, const Movers& movers,
                                                 std::span<const Row> rows);

/// Multiplies of a warp group, each with as many copies of an instruction of another pipe as take equally long alone,
/// by the issue intervals in `rows`. None on an architecture without such multiplies.
[[nodiscard]] std::vector<StudyPlan> multiply_plans(const FormTable& forms, const Movers& movers,
                                                    std::span<const Row> rows);
/// The windows of such a study, for a hole of HoleUse::WarpGroup.
[[nodiscard]] Expected<ComposedWindows> multiply_windows(const StudyPlan& plan, const Hole& hole, const Movers& movers);

/// Pairs of forms of which each has warps of its own on a sub-partition, and as many copies of either as take equally
/// long alone, by the issue intervals in `rows`. Multiplies of warp groups come first.
[[nodiscard]] std::vector<StudyPlan> warps_plans(const FormTable& forms, const Movers& movers,
                                                 std::span<const Row> rows);
/// Whether such a study needs a hole of HoleUse::WarpGroup.
[[nodiscard]] bool has_multiply(const StudyPlan& plan);
[[nodiscard]] Expected<ComposedWindows> warps_windows(const StudyPlan& plan, const Hole& hole, const Movers& movers);

/// Independent copies of the study's forms, `lengths` of each, at several numbers of warps. The lengths are multiples
/// of its run.
[[nodiscard]] Expected<ComposedWindows> study_windows(const StudyPlan& plan, std::span<const int> lengths,
                                                      const Hole& hole, const Movers& movers);

}  // namespace warpclock

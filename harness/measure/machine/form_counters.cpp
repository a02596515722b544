#include "measure/machine/form_counters.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <utility>

#include "base/lookup.hpp"
#include "code/pipe.hpp"
#include "compose/hole.hpp"
#include "compose/hole_source.hpp"
#include "compose/machine_subject.hpp"
#include "measure/instruction_counter.hpp"
#include "measure/machine/machine_plan.hpp"

namespace warpclock {
namespace {

constexpr int passes = static_cast<int>(Launch{}.warmups) + 1;

/// The images of the windows of one kind of hole. A window goes into the next kernel of the last image.
class CountedImages {
 public:
  CountedImages(const Hole& hole, std::string prefix) : hole_(hole), prefix_(std::move(prefix)) {}

  /// The kernels of two windows, the first with fewer copies. The image is there after write().
  Expected<KernelPair> add(const ComposedWindows& composed, std::int64_t at) {
    if (fillings_.size() + composed.fillings.size() > hole_.kernels.size()) WARPCLOCK_TRY(write());
    KernelPair pair;
    for (std::size_t i = 0; i < pair.size(); ++i) {
      const MachineWindow& window = composed.windows[i];
      pair[i] = {.n = window.n,
                 .symbol = hole_.kernels[fillings_.size()].symbol,
                 .warps = window.warps,
                 .cubin_path = path(),
                 .at = at};
      fillings_.push_back(composed.fillings[window.filling]);
    }
    return pair;
  }

  Expected<void> write() {
    if (fillings_.empty()) return {};
    const auto image = WARPCLOCK_TRY(fill_hole(hole_, fillings_));
    if (!(std::ofstream(path(), std::ios::binary) << image)) return fail("io", "cannot write " + path());
    fillings_.clear();
    ++images_;
    return {};
  }

 private:
  [[nodiscard]] std::string path() const { return fmt::format("{}{}.cubin", prefix_, images_); }

  const Hole& hole_;
  std::string prefix_;
  std::vector<Filling> fillings_;
  std::size_t images_ = 0;
};

}  // namespace

Expected<void> count_forms(Worker& worker, const MachineTableOptions& how, std::vector<MachineRow>& rows) {
  if (!worker.counters_missing().empty()) return {};
  const Movers movers = movers_among(how.architecture);
  std::map<HoleKind, CountedImages> images;
  std::vector<InstructionRecord> counted(rows.size());
  std::vector<CountedCode> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].interval) continue;
    const MachineSubject subject = WARPCLOCK_TRY(machine_subject(how.forms[i], movers));
    const bool for_groups = subject.wide && movers.arrive != nullptr;
    const HoleKind kind = for_groups ? HoleKind::WarpGroup : usual_hole(how.forms.size());
    const Hole& hole = WARPCLOCK_TRY(how.holes->get(kind));
    CountedImages& of_kind =
        images.try_emplace(kind, hole, how.folder + (for_groups ? "/pipes.wide." : "/pipes.")).first->second;
    const auto windows = counted_windows(subject, hole, movers);
    if (!windows) continue;
    CountedCode code{.row = &counted[i], .fills_room = true};
    code.kernels = WARPCLOCK_TRY(of_kind.add(*windows, hole_argument(subject.data.front())));
    const auto& [fewer, more] = code.kernels;
    code.copies.copies = static_cast<double>((more.n - fewer.n) * more.warps * passes);
    code.likely = {std::string(pipe_of(name_in(rows[i].key)))};
    counted[i].id = rows[i].key;
    all.push_back(std::move(code));
  }
  for (auto& [kind, of_kind] : images) WARPCLOCK_TRY(of_kind.write());
  InstructionCounter counter(worker, available_pipe_sets(worker.device().chip));
  WARPCLOCK_TRY(counter.count(std::move(all)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].pipes = std::move(counted[i].pipes);
    rows[i].counters = std::move(counted[i].counters);
  }
  return {};
}

}  // namespace warpclock

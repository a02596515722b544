#include "measure/machine/window_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <utility>

#include "base/parallel.hpp"
#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "compose/window_checks.hpp"

namespace warpclock {
namespace {

constexpr int launches = 5;
constexpr int places = 32;                   // in global memory, each with its own launch
constexpr std::size_t read_together = 2048;  // words: few, because the last ones are waited for

bool is_timed(const MachineWindow& window) {
  return window.kind == MachineWindow::Kind::Chain || window.kind == MachineWindow::Kind::Issue;
}

/// The samples of a job's windows, in their order.
std::vector<MachineSample> samples_of(std::span<const MachineWindow> windows, const Observation& seen) {
  std::vector<MachineSample> samples;
  const auto at = [](const auto& all, std::size_t i) {
    return i < all.size() ? all[i] : typename std::decay_t<decltype(all)>::value_type();
  };
  const std::size_t answers = std::max(seen.samples.size(), seen.counted.size());
  for (std::size_t i = 0; i < std::min(windows.size(), answers); ++i)
    samples.push_back({&windows[i], at(seen.samples, i), at(seen.digests, i), at(seen.counted, i)});
  return samples;
}

}  // namespace

/// Writes composed windows into the images of a hole, and has the disassembler read every word that it wrote while the
/// windows run. Jobs may be made in several threads.
class WindowRun::Images {
 public:
  /// The images' paths begin with `prefix`. Both references must outlive this.
  Images(const Holes& holes, const Hole& hole, std::string prefix)
      : holes_(holes), hole_(hole), prefix_(std::move(prefix)) {}

  /// A job that runs these windows for a row. Puts timed windows first. Errors: "io"; those of check_waits() and
  /// fill_hole().
  [[nodiscard]] Expected<WindowJob> job_for(std::size_t row, const WindowQuestion& asked, ComposedWindows& composed) {
    WindowJob made;
    Job& job = made.job;
    job.id = asked.id;
    job.data.bytes = hole_data_bytes(asked.global ? places : 1);
    job.data.fill = Fill::Bits;
    job.launch.launches = asked.global ? places : launches;
    if (asked.first_pass) job.launch.warmups = 0;
    if (asked.global) job.at_step = hole_place;
    job.places = Places::Written;
    job.at_once = job.once = true;
    job.counters = asked.counters;
    job.timed = asked.counters.empty();
    const std::size_t each = hole_.kernels.size();
    const std::span fillings = composed.fillings;
    for (const Filling& filling : fillings) {
      WARPCLOCK_TRY(check_waits(filling));
      note(filling, row);
    }
    for (std::size_t first = 0; first < fillings.size(); first += each) {
      auto image = WARPCLOCK_TRY(fill_hole(hole_, fillings.subspan(first, std::min(each, fillings.size() - first))));
      const std::string path = fmt::format("{}{}.cubin", prefix_, images_++);
      if (!(std::ofstream(path, std::ios::binary) << image)) return fail("io", fmt::format("cannot write {}", path));
      made.files.push_back(path);
    }
    job.cubin_path = made.files.back();
    // Timed windows visit all places. They come first because the first kernel settles which side of L2 is near.
    // Windows that look for stale reads stay at one place, because they must compute the same result each time.
    std::ranges::stable_partition(composed.windows, is_timed);
    for (const MachineWindow& window : composed.windows) {
      HoleValues values = asked.data[window.data];
      values.first_thread = window.first_thread;
      job.kernels.push_back({.n = std::int64_t{window.n} * window.trips,
                             .symbol = hole_.kernels[window.filling % each].symbol,
                             .warps = window.warps,
                             .cubin_path = made.files[window.filling / each],
                             .at = hole_argument(values),
                             .steps = is_timed(window),
                             .launches = window.launches});
    }
    return made;
  }

  /// For each row that ran a word which the disassembler does not read as intended: what it reads instead.
  [[nodiscard]] std::map<std::size_t, std::string> misread_rows() {
    begin_to_read();
    std::map<std::size_t, std::string> misread;
    for (Reading& reading : readings_) {
      const std::vector<std::string> wrong = reading.misreadings.get();
      for (std::size_t i = 0; i < wrong.size(); ++i) {
        if (wrong[i].empty()) continue;
        for (const std::size_t row : rows_.at(reading.words[i])) misread.try_emplace(row, wrong[i]);
      }
    }
    readings_.clear();
    return misread;
  }

 private:
  struct Reading {
    std::vector<Word> words;
    std::future<std::vector<std::string>> misreadings;
  };

  void note(const Filling& filling, std::size_t row) {
    const std::lock_guard lock(mutex_);
    for (const PlacedWord& placed : filling.placed) {
      const auto [rows, fresh] = rows_.try_emplace(placed.word);
      if (fresh) unread_.push_back(placed);
      rows->second.insert(row);
    }
    if (unread_.size() >= read_together) begin_to_read();
  }

  void begin_to_read() {
    Reading reading;
    for (const PlacedWord& placed : unread_) reading.words.push_back(placed.word);
    reading.misreadings = std::async(
        std::launch::async, [arch = holes_.arch(), nvdisasm = holes_.nvdisasm(), words = std::exchange(unread_, {})] {
          return misreadings(arch, nvdisasm, words);
        });
    readings_.push_back(std::move(reading));
  }

  const Holes& holes_;
  const Hole& hole_;
  std::string prefix_;
  std::mutex mutex_;                            ///< guards the next three
  std::map<Word, std::set<std::size_t>> rows_;  ///< that ran a word
  std::vector<PlacedWord> unread_;
  std::vector<Reading> readings_;
  std::atomic<std::size_t> images_ = 0;
};

WindowRun::WindowRun(const MachineTableOptions& how) : how_(how) {}
WindowRun::~WindowRun() = default;

Expected<WindowRun::Images*> WindowRun::images(HoleKind kind) {
  const std::lock_guard lock(mutex_);
  const Hole& hole = WARPCLOCK_TRY(how_.holes->get(kind));
  auto& images = images_[kind];
  const std::string prefix = fmt::format("{}/{}.", how_.folder, static_cast<int>(kind));
  if (!images) images = std::make_unique<Images>(*how_.holes, hole, prefix);
  return images.get();
}

Expected<Job> WindowRun::begin(std::size_t i) {
  Asked& one = asked_[i];
  one.composed = WARPCLOCK_TRY(one.question.compose(one.question));
  return job_for(i);
}

Expected<Job> WindowRun::job_for(std::size_t i) {
  Asked& one = asked_[i];
  Images* const of_kind = WARPCLOCK_TRY(images(one.question.hole));
  one.ran = WARPCLOCK_TRY(of_kind->job_for(i, one.question, one.composed));
  return one.ran.job;
}

std::optional<Job> WindowRun::look(std::size_t i, const Expected<Observation>& seen) {
  Asked& one = asked_[i];
  for (const std::string& file : std::exchange(one.ran.files, {})) std::filesystem::remove(file);
  if (!seen) {
    one.question.lost(seen.error(), Lost::NoAnswer);
    return std::nullopt;
  }
  auto further = one.question.note(samples_of(one.composed.windows, *seen));
  if (!further) return std::nullopt;
  one.composed = *std::move(further);
  auto job = job_for(i);
  if (job) return *std::move(job);
  one.question.lost(job.error(), Lost::NotMade);
  return std::nullopt;
}

Expected<void> WindowRun::run(const std::function<void()>& begun) {
  TimingLine line(how_.desk, [this](std::size_t row, const Job&, const Expected<Observation>& seen, bool) {
    return look(row, seen);
  });
  WARPCLOCK_TRY(make_ahead(
      asked_.size(), [this](std::size_t i) { return begin(i); },
      [&](std::size_t i, Expected<Job> job) -> Expected<void> {
        begun();
        if (job) return line.add(i, *std::move(job));
        asked_[i].question.lost(job.error(), Lost::NotMade);
        return {};
      }));
  WARPCLOCK_TRY(line.finish());
  for (auto& [kind, images] : images_) {
    for (const auto& [row, wrong] : images->misread_rows())
      asked_[row].question.lost({"read-back", wrong, {}}, Lost::Misread);
  }
  return {};
}

}  // namespace warpclock

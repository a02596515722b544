#include "measure/machine/window_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "compose/hole_source.hpp"
#include "compose/window_checks.hpp"

namespace warpclock {
namespace {

/// Where later passes of long code are timed, a hole must not be longer than what a cache holds: they run all of it.
std::string source_of(HoleKind kind) {
  // The driver takes as long for kernels of an image that are not run; the windows of most jobs fill fewer than 16.
  constexpr std::size_t room = 128, operand_room = 96, kernels = 16, few_kernels = 4, long_room = 1536,
                        long_kernels = 8, longest_room = 8192, middle_room = 256, middle_kernels = 6,
                        longest_kernels = 2;
  switch (kind) {
    case HoleKind::Usual:
      return hole_source(room, kernels);
    case HoleKind::Few:
      return hole_source(room, few_kernels);
    case HoleKind::Operands:
      return hole_source(operand_room, few_kernels, HoleUse::Operands);
    case HoleKind::WarpGroup:
      return hole_source(room, kernels, HoleUse::WarpGroup);
    case HoleKind::Middle:
      return hole_source(middle_room, middle_kernels);
    case HoleKind::Long:
      return hole_source(long_room, long_kernels);
    case HoleKind::LongWarpGroup:
      return hole_source(long_room, long_kernels, HoleUse::WarpGroup);
    case HoleKind::Longest:
      return hole_source(longest_room, longest_kernels);
  }
  std::unreachable();
}

}  // namespace

Holes::Holes(Arch arch, std::string nvdisasm, const std::string& cache_dir)
    : arch_(arch), nvdisasm_(std::move(nvdisasm)), cache_(Cache::open(cache_dir)) {}

void Holes::prepare(std::initializer_list<HoleKind> kinds) {
  for (const HoleKind kind : kinds) {
    if (made_.contains(kind)) continue;
    made_[kind] = std::async(std::launch::async, [this, kind] {
                    return make_hole(arch_, nvdisasm_, source_of(kind), &cache_);
                  }).share();
  }
}

Expected<std::reference_wrapper<const Hole>> Holes::get(HoleKind kind) {
  prepare({kind});
  const Expected<Hole>& made = made_.at(kind).get();
  if (!made) return std::unexpected(made.error());
  return std::cref(*made);
}

namespace {

constexpr int launches = 5;
constexpr int places = 32;                   // in global memory, each with its own launch
constexpr std::size_t read_together = 2048;  // words: few, because the last ones are waited for

bool is_timed(const MachineWindow& window) {
  return window.kind == MachineWindow::Kind::Chain || window.kind == MachineWindow::Kind::Issue;
}

}  // namespace

void remove_images(WindowJob& ran) {
  for (const std::string& file : ran.files) std::filesystem::remove(file);
  ran.files.clear();
}

std::vector<MachineSample> samples_of(std::span<const MachineWindow> windows, const Observation& seen) {
  std::vector<MachineSample> samples;
  for (std::size_t i = 0; i < windows.size() && i < seen.samples.size(); ++i) {
    samples.push_back({&windows[i], seen.samples[i], i < seen.digests.size() ? seen.digests[i] : ""});
  }
  return samples;
}

Expected<WindowJob> WindowImages::job_for(std::size_t row, ComposedWindows& composed, std::span<const HoleValues> data,
                                          bool global) {
  WindowJob made;
  Job& job = made.job;
  job.data.bytes = hole_data_bytes(global ? places : 1);
  job.data.fill = Fill::Bits;
  job.launch.launches = global ? places : launches;
  if (global) job.at_step = hole_place;
  job.places = Places::Written;
  job.at_once = job.once = true;
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
  // Timed windows visit all places. They come first because the first kernel settles which side of L2 is near. Windows
  // that look for stale reads stay at one place, because they must compute the same result each time.
  std::ranges::stable_partition(composed.windows, is_timed);
  for (const MachineWindow& window : composed.windows) {
    HoleValues values = data[window.data];
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

void WindowImages::note(const Filling& filling, std::size_t row) {
  const std::lock_guard lock(mutex_);
  for (const PlacedWord& placed : filling.placed) {
    const auto [rows, fresh] = rows_.try_emplace(placed.word);
    if (fresh) unread_.push_back(placed);
    rows->second.insert(row);
  }
  if (unread_.size() >= read_together) begin_to_read();
}

void WindowImages::begin_to_read() {
  Reading reading;
  for (const PlacedWord& placed : unread_) reading.words.push_back(placed.word);
  reading.misreadings = std::async(
      std::launch::async, [arch = holes_.arch(), nvdisasm = holes_.nvdisasm(), words = std::exchange(unread_, {})] {
        return misreadings(arch, nvdisasm, words);
      });
  readings_.push_back(std::move(reading));
}

std::map<std::size_t, std::string> WindowImages::misread_rows() {
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

}  // namespace warpclock

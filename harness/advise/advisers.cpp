#include "advise/advisers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "record/outline.hpp"
#include "record/selector.hpp"

namespace warpclock {

std::optional<double> Citations::leaf(const std::string& path) {
  const Leaf* found = find_leaf(from_.machine, path);
  if (found == nullptr) {
    unknown("not measured: " + path);
    return std::nullopt;
  }
  const RecordSource& source = source_of(from_.machine, *found);
  UsedNumber used{path,        found->value, found->low,  found->high,   found->unit, found->rows,
                  source.file, source.gpu,   source.date, source.commit, found->note};
  if (std::ranges::find(answer_.used, used) == answer_.used.end()) answer_.used.push_back(std::move(used));
  return found->value;
}

void Citations::row(const std::string& record, const Row& row, const Estimate& estimate) {
  const auto source = std::ranges::find(from_.machine.records, record, &RecordSource::file);
  if (source == from_.machine.records.end()) return;
  UsedNumber used{row.probe, estimate.value, estimate.low, estimate.high, estimate.unit,
                  {row.id},  record,         source->gpu,  source->date,  source->commit,
                  ""};
  if (std::ranges::find(answer_.used, used) == answer_.used.end()) answer_.used.push_back(std::move(used));
}

void Citations::unknown(const std::string& sentence) {
  if (std::ranges::find(answer_.unknown, sentence) == answer_.unknown.end()) answer_.unknown.push_back(sentence);
}

std::vector<RecordRow> rows_of(const MeasuredGpu& gpu, const std::string& probe, const std::string& estimate) {
  const Selector place{.probe = probe, .name = estimate};
  std::vector<RecordRow> found;
  for (const auto& [file, record] : gpu.results) {
    for (const Row* row : cases_at(record, place)) found.push_back({file, row, published(*row, estimate)});
    if (!found.empty()) break;
  }
  return found;
}

std::int64_t whole(const Row& row, const std::string& parameter) {
  const auto* number = find_as<std::int64_t>(row.parameters, parameter);
  return number == nullptr ? 0 : *number;
}

std::string word_of(const Row& row, const std::string& parameter) {
  const auto* word = find_as<std::string>(row.parameters, parameter);
  return word == nullptr ? "" : *word;
}

void ErrorSum::add(double predicted, double measured, const std::string& row) {
  if (!(measured > 0) || !std::isfinite(predicted)) return;
  const double error = predicted / measured - 1;
  sum_ += std::abs(error);
  if (check_.predictions++ > 0 && std::abs(error) <= std::abs(check_.furthest)) return;
  check_.furthest = error;
  check_.row = row;
}

std::optional<ModelCheck> ErrorSum::result() const {
  if (check_.predictions == 0) return std::nullopt;
  ModelCheck done = check_;
  done.mean_absolute = sum_ / static_cast<double>(check_.predictions);
  return done;
}

namespace {

constexpr std::int64_t rows_of_group = 64, depth_of_step = 64, kib_bytes = 1024;

/// A measured kernel of a study.
struct MeasuredCase {
  const Row& row;
  std::int64_t blocks = 1;

  [[nodiscard]] double cycles() const { return published(row, "cycles")->value; }
  /// 0 if it has no such whole number.
  [[nodiscard]] std::int64_t whole(const std::string& parameter) const { return warpclock::whole(row, parameter); }
  [[nodiscard]] std::string word(const std::string& parameter) const {
    const Value* value = find(row.parameters, parameter);
    return value == nullptr ? std::string() : to_string(*value);
  }
};

std::vector<MeasuredCase> cases_of(const AdviceSource& from, const std::vector<std::string>& studies) {
  std::vector<MeasuredCase> cases;
  if (from.kernels == nullptr) return cases;
  for (const Row& row : from.kernels->rows) {
    if (published(row, "cycles") == nullptr || std::ranges::find(studies, row.probe) == studies.end()) continue;
    std::int64_t blocks = 1;
    for (const std::int64_t side : row.kernel.grid) blocks *= side;
    cases.push_back({row, blocks});
  }
  return cases;
}

const std::vector<std::string>& product_studies() {
  static const std::vector<std::string> all = {"hgemm_groups", "hgemm_bulk"};
  return all;
}

double sms_of(const AdviceSource& from) { return static_cast<double>(from.machine.stated.sms); }

std::string tile_of(const MeasuredCase& one) {
  return fmt::format("{}x{}x{}", rows_of_group * one.whole("groups"), one.whole("cols"), depth_of_step);
}

/// Cycles of a step with that number of stages. More stages than the model lists gain nothing.
std::optional<double> cycles_with(const PipelineAdvice& model, std::int64_t stages) {
  if (model.choices.empty() || stages < 1) return std::nullopt;
  const auto at = std::min<std::size_t>(static_cast<std::size_t>(stages), model.choices.size()) - 1;
  return model.choices[at].cycles;
}

std::optional<double> modelled(const AdviceSource& from, const PipelineQuestion& question, std::int64_t stages) {
  Advice unused;
  Citations cite(from, unused);
  const auto model = model_pipeline(cite, question);
  return model ? cycles_with(*model, stages) : std::nullopt;
}

}  // namespace

std::optional<ModelCheck> multiplies_check(const AdviceSource& from) {
  ErrorSum all("cycles of a tile over stages, bulk copies and wgmma from L2");
  for (const RecordRow& at : rows_of(from.gpu, "wgmma/pipeline", "tile")) {
    if (whole(*at.row, "footprint") > from.machine.stated.l2_bytes) continue;
    const std::string tile = fmt::format("{}x{}x{}", rows_of_group, whole(*at.row, "cols"), depth_of_step);
    if (const auto cycles = modelled(from, {tile, "f16", MemoryLevel::L2}, whole(*at.row, "stages")))
      all.add(*cycles, at.estimate->value, at.row->id);
  }
  return all.result();
}

std::optional<ModelCheck> products_check(const AdviceSource& from) {
  ErrorSum all("cycles of whole kernels that multiply matrices by shared tiles, start and epilogue included");
  for (const MeasuredCase& one : cases_of(from, product_studies())) {
    const auto step = modelled(from, {tile_of(one), "f16", MemoryLevel::L2, Tiles::Shared}, one.whole("stages"));
    const double tiles = std::ceil(static_cast<double>(one.blocks) / sms_of(from));
    if (step) all.add(tiles * static_cast<double>(one.whole("rounds")) * *step, one.cycles(), one.row.id);
  }
  return all.result();
}

std::vector<MeasuredKernel> measured_products(const AdviceSource& from, const PipelineAdvice& tile) {
  std::vector<MeasuredKernel> measured;
  const Leaf* peak = find_leaf(from.machine, "instructions/wgmma.m64n256k16.f32.f16.a_shared/throughput");
  if (peak == nullptr || tile.type != "f16") return measured;
  for (const MeasuredCase& one : cases_of(from, product_studies())) {
    if (tile_of(one) != fmt::format("{}x{}x{}", tile.m, tile.n, tile.k)) continue;
    const auto work = static_cast<double>(one.blocks * tile.m * tile.n * tile.k * one.whole("rounds"));
    measured.push_back(
        {one.row.id, one.whole("stages"), one.cycles(), work / (sms_of(from) * one.cycles() * peak->value)});
  }
  return measured;
}

std::optional<ModelCheck> reading_check(const AdviceSource& from, MemoryLevel level) {
  ErrorSum all("cycles of whole kernels that add up what they read from " + to_string(level));
  for (const MeasuredCase& one : cases_of(from, {"sum"})) {
    if ((one.word("l2") == "warm") != (level == MemoryLevel::L2)) continue;
    const std::int64_t bytes = one.blocks * one.whole("items") * 4 * kib_bytes;
    const auto cycles = reading_cycles(from, level, bytes);
    if (cycles) all.add(*cycles, one.cycles(), one.row.id);
  }
  return all.result();
}

std::optional<ModelCheck> attention_check(const AdviceSource& from) {
  ErrorSum all("cycles of whole kernels of one warp group (attention_groups), products and softmax alone");
  for (const MeasuredCase& one : cases_of(from, {"attention_groups"})) {
    if (one.whole("groups") != 1) continue;
    const auto cycles = serial_cycles(from, {.head = 64, .keys = one.whole("keys")});
    if (cycles) all.add(static_cast<double>(one.whole("rounds")) * *cycles, one.cycles(), one.row.id);
  }
  return all.result();
}

}  // namespace warpclock

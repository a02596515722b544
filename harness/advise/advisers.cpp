#include "advise/advisers.hpp"

#include <algorithm>
#include <cmath>

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

void Citations::row(const std::string& record, const CaseRecord& row, const Estimate& estimate) {
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
  const auto in = [&](const std::string& file, const Record& record) {
    std::vector<RecordRow> found;
    for (const CaseRecord* row : cases_at(record, place)) found.push_back({file, row, published(*row, estimate)});
    return found;
  };
  for (const bool suite : {false, true}) {
    for (const auto& [file, record] : gpu.results) {
      if (file.contains('/') != suite) continue;
      if (auto found = in(file, record); !found.empty()) return found;
    }
  }
  return {};
}

std::int64_t whole(const CaseRecord& row, const std::string& parameter) {
  const Value* value = find(row.parameters, parameter);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? 0 : *number;
}

std::string word_of(const CaseRecord& row, const std::string& parameter) {
  const Value* value = find(row.parameters, parameter);
  const auto* word = value == nullptr ? nullptr : std::get_if<std::string>(value);
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

}  // namespace warpclock

#include "answer/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "measure/inputs.hpp"
#include "model/measured.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

struct CompareOptions {
  std::string before, after;
  SheetFormat format;
};

Expected<Record> read_any(const std::string& path) {
  auto record = read_record(path, {{every_record_file.begin(), every_record_file.end()}});
  if (!record) return std::unexpected(with_file_kind(record.error(), path, "compare"));
  return record;
}

Expected<Comparison> compare_files(const CompareOptions& options) {
  const auto before = WARPCLOCK_TRY(read_any(options.before));
  const auto after = WARPCLOCK_TRY(read_any(options.after));
  if (before.file == after.file) return compare(before, after);
  return fail(ErrorCode::RecordKind, fmt::format("{} is {}, {} is {}: only two of a kind can be compared",
                                                 options.before, words(before.file), options.after, words(after.file)));
}

Expected<int> run_compare(const CompareOptions& options) {
  const auto comparison = WARPCLOCK_TRY(compare_files(options));
  print(compare_sheet(comparison), options.format);
  return comparison.agree() ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "compare", "Print what differs between two records of one kind: result, instructions, machine or cases.json");
  auto options = std::make_shared<CompareOptions>();
  add_value(*command, "before", "FILE", options->before, "A result.json, instructions.json, machine.json or cases.json")
      ->required();
  add_value(*command, "after", "FILE", options->after, "A result.json, instructions.json, machine.json or cases.json")
      ->required();
  options->format.add_options(*command, true);
  command->footer(
      "Examples:\n"
      "  warpclock compare reports/nvidia-h100-80gb-hbm3/result.json reports/nvidia-h200/result.json\n"
      "  warpclock compare --json old/machine.json.gz new/machine.json.gz");
  command->callback([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace warpclock

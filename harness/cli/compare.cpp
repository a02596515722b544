#include "answer/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "measure/inputs.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

struct CompareOptions {
  std::string before, after;
  SheetFormat format;
};

/// If the file is no kind of record, the error is the one for a result.
Expected<RecordFile> kind_of_file(const std::string& path) {
  const auto record = read_report(path);
  if (record) return RecordFile::Result;
  if (record.error().code != ErrorCode::RecordKind)
    return std::unexpected(with_file_kind(record.error(), path, "compare"));
  if (read_kernels(path)) return RecordFile::Cases;
  return read_machine(path) ? RecordFile::Machine : RecordFile::Instructions;
}

template <class T>
Expected<Comparison> compare_two(const CompareOptions& options, Expected<T> (*read)(const std::filesystem::path&)) {
  const auto before = WARPCLOCK_TRY(read(options.before));
  const auto after = WARPCLOCK_TRY(read(options.after));
  return compare(before, after);
}

Expected<Comparison> compare_files(const CompareOptions& options) {
  const RecordFile before = WARPCLOCK_TRY(kind_of_file(options.before));
  const RecordFile after = WARPCLOCK_TRY(kind_of_file(options.after));
  if (before != after) {
    return fail(ErrorCode::RecordKind, fmt::format("{} is {}, {} is {}: only two of a kind can be compared",
                                                   options.before, words(before), options.after, words(after)));
  }
  switch (before) {
    case RecordFile::Result:
      return compare_two(options, read_report);
    case RecordFile::Instructions:
      return compare_two(options, read_instructions);
    case RecordFile::Machine:
      return compare_two(options, read_machine);
    case RecordFile::Cases:
      return fail(ErrorCode::RecordKind, "tables of kernels are not compared; `warpclock report` shows their errors",
                  options.before);
  }
  std::unreachable();
}

Expected<int> run_compare(const CompareOptions& options) {
  const auto comparison = WARPCLOCK_TRY(compare_files(options));
  print(compare_sheet(comparison), options.format);
  return comparison.agree() ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "compare", "Print what differs between two records of one kind: result.json, instructions.json or machine.json");
  auto options = std::make_shared<CompareOptions>();
  add_value(*command, "before", "FILE", options->before, "A result.json, instructions.json or machine.json")
      ->required();
  add_value(*command, "after", "FILE", options->after, "A result.json, instructions.json or machine.json")->required();
  options->format.add_options(*command, true);
  command->footer(
      "Examples:\n"
      "  warpclock compare reports/nvidia-h100-80gb-hbm3/result.json reports/nvidia-h200/result.json\n"
      "  warpclock compare --json old/machine.json.gz new/machine.json.gz");
  command->callback([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace warpclock

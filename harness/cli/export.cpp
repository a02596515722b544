#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/roofline.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "model/machine.hpp"
#include "model/model_exports.hpp"

namespace warpclock {
namespace {

struct ExportOptions {
  std::string format, file, out;
  GpuChoice gpu;
};

using ModelExport = std::function<std::string(const Machine&, const ModelConfig&)>;

const std::map<std::string, ModelExport>& model_exports() {
  static const std::map<std::string, ModelExport> all = {
      {"json", [](const Machine& machine, const ModelConfig&) { return to_json(machine); }},
      {"csv", [](const Machine& machine, const ModelConfig&) { return to_csv(machine); }},
      {"c++", [](const Machine& machine, const ModelConfig&) { return to_cpp_header(machine); }},
      {"python", [](const Machine& machine, const ModelConfig&) { return to_python(machine); }},
      {"accel-sim", to_accel_sim},
      {"triton", to_triton},
      {"triton-def", to_triton_def},
      {"peaks", to_peaks},
      {"roofline", to_roofline},
      {"roofline-svg", [](const Machine& machine, const ModelConfig& config) {
         return draw_roofline(machine, ceilings(machine, config));
       }}};
  return all;
}

Expected<std::string> table_text(const ExportOptions& options) {
  const auto table = read_record(options.file, {{RecordFile::Instructions}});
  if (!table) return std::unexpected(with_file_kind(table.error(), options.file, "export"));
  return options.format == "csv" ? render_instruction_csv(*table) : render_instruction_xml(std::span(&*table, 1));
}

Expected<std::string> text_of(const ExportOptions& options) {
  const auto model = model_exports().find(options.format);
  const bool of_table = options.format == "csv" || options.format == "xml";
  if (!options.file.empty() && !of_table)
    return fail("usage", fmt::format("export {} is made from all records of a GPU: name it by --gpu instead of a FILE",
                                     options.format));
  if (!options.file.empty()) return table_text(options);
  if (model == model_exports().end())
    return fail("usage", fmt::format("export {} is made from an instructions.json: name the FILE", options.format));
  const auto& config = known_model_config();
  if (!config) return std::unexpected(config.error());
  const auto machine = WARPCLOCK_TRY(load_machine(options.gpu));
  std::string text = model->second(machine, *config);
  if (text.empty()) return fail("absent", fmt::format("the records of {} have nothing for this", machine.folder));
  return text;
}

Expected<int> write_export(const ExportOptions& options) {
  const auto text = WARPCLOCK_TRY(text_of(options));
  if (options.out.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  WARPCLOCK_TRY(write_named(options.out, text));
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "export", "Write the machine model of a measured GPU, or an instruction table, for other programs");
  auto options = std::make_shared<ExportOptions>();
  command
      ->add_option("format", options->format,
                   "json, csv, c++, python, accel-sim, triton, triton-def (C++), peaks, roofline (JSON), roofline-svg: "
                   "the model; "
                   "csv or xml with a FILE: the table")
      ->required()
      ->check(CLI::IsMember({"json", "csv", "c++", "python", "accel-sim", "triton", "triton-def", "peaks", "roofline",
                             "roofline-svg", "xml"}));
  auto* file = add_value(*command, "file", "FILE", options->file, "An instructions.json");
  options->gpu.add_options(*command)->excludes(file);
  add_value(*command, "--out", "FILE", options->out, "File to write; standard output otherwise");
  command->footer(
      "Examples:\n"
      "  warpclock export c++ --gpu h200 --out h200.hpp\n"
      "  warpclock export json --gpu h100 | jq '.transfers[] | select(.name == \"l2.load\")'\n"
      "  warpclock export peaks --gpu h200 | jq '.flops.bf16.dense.per_s, .bytes.DRAM.load.per_s'\n"
      "  warpclock export xml reports/nvidia-h200/instructions.json.gz\n"
      "`warpclock schema model` prints the schema of the JSON. What no verified row has is absent from all of them.");
  command->callback([options, &action] { action = [options] { return write_export(*options); }; });
}

}  // namespace warpclock

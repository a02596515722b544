#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "advise/advice.hpp"
#include "advise/advisers.hpp"
#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"
#include "inspect/inspect.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

struct AdviseCommand {
  std::string about, file, kernel, nvdisasm, from, tiles;
  std::vector<std::string> include;
  bool json = false;
  PipelineQuestion pipeline;
  BandwidthQuestion bandwidth;
  SwizzleQuestion swizzle;
  AttentionQuestion attention;
  OccupancyQuestion occupancy;
  GpuChoice gpu;
  std::vector<std::pair<std::string, CLI::Option*>> options;  ///< of some questions alone, by their first name
};

/// The options of each question, and the one that it cannot do without.
struct AdviceTopic {
  std::vector<std::string> options;
  std::string needs;
};
const std::map<std::string, AdviceTopic>& questions() {
  static const std::map<std::string, AdviceTopic> all = {
      {"pipeline", {{"--tile", "--tiles", "--type", "--from"}, "--tile"}},
      {"bandwidth", {{"--from", "--bytes", "--warps", "--width"}, "--from"}},
      {"swizzle", {{"--row-bytes", "--access"}, "--access"}},
      {"attention", {{"--head", "--keys", "--degree", "--type"}, ""}},
      {"occupancy", {{"file", "--kernel", "--block", "--shared", "--include", "--nvdisasm"}, "file"}}};
  return all;
}

Expected<void> check_options(const AdviseCommand& command) {
  const AdviceTopic& question = questions().at(command.about);
  for (const auto& [name, option] : command.options) {
    const bool given = option->count() > 0;
    const bool known = contains(question.options, name);
    if (given && !known)
      return fail("usage",
                  fmt::format("advise {} has no {}; it has {}", command.about, name, join(question.options, ", ")));
    if (!given && name == question.needs)
      return fail("usage", fmt::format("advise {} needs {}", command.about, name == "file" ? "a FILE" : name));
  }
  return {};
}

Expected<Advice> occupancy_of(const AdviseCommand& command, const AdviceSource& source) {
  LoadOptions how;
  how.arch_given = true;
  how.arch = WARPCLOCK_TRY(parse_arch(source.machine.arch));
  how.include = command.include;
  how.kernel = command.kernel;
  how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm));
  const auto file = load_file(command.file, how);
  if (!file) return std::unexpected(with_file_kind(file.error(), command.file, "advise"));
  InspectOptions what;
  what.kernel = command.kernel;
  what.threads = command.occupancy.threads;
  what.dynamic_bytes = command.occupancy.dynamic_bytes;
  what.machine = &source.machine;
  return advise_occupancy(source, WARPCLOCK_TRY(inspect(command.file, *file, what)));
}

Expected<Advice> answer_of(const AdviseCommand& command, const AdviceSource& source) {
  PipelineQuestion pipeline = command.pipeline;
  BandwidthQuestion bandwidth = command.bandwidth;
  pipeline.from = bandwidth.level = level_of(command.from).value_or(MemoryLevel::L2);
  const bool shared = command.tiles.empty() ? pipeline.from == MemoryLevel::L2 : command.tiles == "shared";
  pipeline.tiles = shared ? Tiles::Shared : Tiles::Own;
  if (command.about == "pipeline") return advise_pipeline(source, pipeline);
  if (command.about == "bandwidth") return advise_bandwidth(source, bandwidth);
  if (command.about == "swizzle") return advise_swizzle(source, command.swizzle);
  if (command.about == "attention") {
    AttentionQuestion attention = command.attention;
    attention.type = pipeline.type;
    return advise_attention(source, attention);
  }
  return occupancy_of(command, source);
}

Expected<int> advise(const AdviseCommand& command) {
  WARPCLOCK_TRY(check_options(command));
  const GpuChoice choice = or_usual(command.gpu);
  const auto reports = WARPCLOCK_TRY(find_reports(choice.reports));
  const auto folder = WARPCLOCK_TRY(chosen_folder(reports, choice));
  const auto gpu = WARPCLOCK_TRY(read_measured_gpu(reports, folder));
  const auto machine = WARPCLOCK_TRY(make_machine(gpu));
  const auto kernels = WARPCLOCK_TRY(read_if_there(reports / folder / "cases.json", {{RecordFile::Cases}}));
  const auto answer = WARPCLOCK_TRY(answer_of(command, {gpu, machine, kernels ? &*kernels : nullptr}));
  fmt::print("{}", command.json ? to_json(answer) : to_text(advice_sheet(answer), Style(Stream::Out)));
  return 0;
}

void add_questions(CLI::App& app, AdviseCommand& command) {
  const auto keep = [&](const char* name, CLI::Option* option) {
    command.options.emplace_back(name, option);
    return option;
  };
  keep("file", app.add_option("file", command.file, "occupancy: what `warpclock inspect` reads"))->type_name("FILE");
  keep("--tile", app.add_option("--tile", command.pipeline.tile, "pipeline: rows of A, columns of B, depth of a step"))
      ->type_name("MxNxK");
  keep("--tiles", app.add_option("--tiles", command.tiles,
                                 "pipeline: whether SMs read the same tiles, as in a product of matrices (shared from "
                                 "L2, own from DRAM)"))
      ->check(CLI::IsMember({"shared", "own"}));
  keep("--type", app.add_option("--type", command.pipeline.type, "pipeline, attention: of what is multiplied (f16)"))
      ->check(CLI::IsMember(pipeline_types()));
  keep("--from", app.add_option("--from,--level", command.from, "pipeline, bandwidth: where data are read from (l2)"))
      ->check(CLI::IsMember({"l2", "dram"}, CLI::ignore_case));
  keep("--bytes", app.add_option("--bytes", command.bandwidth.bytes, "bandwidth: that a kernel reads in all"))
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 50))
      ->type_name("BYTES");
  keep("--warps", app.add_option("--warps", command.bandwidth.warps, "bandwidth: of an SM"))
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  keep("--width", app.add_option("--width", command.bandwidth.width, "bandwidth: bytes of a thread's load (16)"))
      ->check(CLI::IsMember({1, 2, 4, 8, 16}));
  keep("--row-bytes", app.add_option("--row-bytes", command.swizzle.row_bytes, "swizzle: of a row of the tile (128)"))
      ->type_name("BYTES");
  keep("--access", app.add_option("--access", command.swizzle.access, "swizzle: the instruction"))
      ->check(CLI::IsMember(swizzle_accesses()));
  keep("--head", app.add_option("--head", command.attention.head, "attention: elements of a head (128)"))
      ->type_name("N");
  keep("--keys", app.add_option("--keys", command.attention.keys, "attention: keys of a tile (128)"))->type_name("N");
  keep("--degree", app.add_option("--degree", command.attention.degree, "attention: of the polynomial for 2^x (3)"))
      ->type_name("N");
  keep("--kernel", app.add_option("--kernel", command.kernel, "occupancy: only kernels with this in their name"))
      ->type_name("NAME");
  keep("--block", app.add_option("--block", command.occupancy.threads, "occupancy: threads of a block"))
      ->check(CLI::Range(1, 1024))
      ->type_name("THREADS");
  keep("--shared", app.add_option("--shared", command.occupancy.dynamic_bytes, "occupancy: what the launch adds"))
      ->check(CLI::Range(0, 1 << 20))
      ->type_name("BYTES");
  keep("--include",
       app.add_option("--include", command.include,
                      "occupancy: a folder of headers for CUDA C++, beside its own and the CUDA Toolkit's"))
      ->type_name("DIR");
  keep("--nvdisasm", app.add_option("--nvdisasm", command.nvdisasm, "occupancy: the disassembler to use"))
      ->type_name("PATH");
}

}  // namespace

void add_advise(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("advise", "Answers for the design of a kernel, from the rows of a measured GPU");
  auto options = std::make_shared<AdviseCommand>();
  const auto names = keys_of(questions());
  command->add_option("about", options->about, "What the question is about")->required()->check(CLI::IsMember(names));
  options->pipeline.type = "f16";
  options->from = "l2";
  options->swizzle.row_bytes = 128;
  add_questions(*command, *options);
  options->gpu.add_options(*command);
  command->add_flag("--json", options->json, "Machine-readable");
  command->footer(
      "pipeline: stages, warps and shared memory of a loop of tensor copies and wgmma, and its share of the peak.\n"
      "bandwidth: bytes in flight, warps and loads for 90 % and 99 % of a rate. swizzle: bank conflicts of layouts.\n"
      "attention: exponentials against products. occupancy: blocks per SM, and the step that adds one.\n"
      "Each answer has the rows that it used, the errors of its model and what is not known (docs/advise.md). Nothing\n"
      "is run; without --gpu the rows are those of the h200. Examples:\n"
      "  warpclock advise pipeline --tile 128x128x64 --type f16 --from dram\n"
      "  warpclock advise bandwidth --level dram --bytes 1073741824 --warps 16\n"
      "  warpclock advise swizzle --row-bytes 64 --access ldmatrix\n"
      "  warpclock advise attention --head 128 --gpu h100\n"
      "  warpclock advise occupancy gemm.cubin --block 256 --json | jq '.occupancy.kernels[].next'\n"
      "`warpclock schema advise` prints the schema of the JSON.");
  command->callback([options, &action] { action = [options] { return advise(*options); }; });
}

}  // namespace warpclock

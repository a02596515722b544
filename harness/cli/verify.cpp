#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/elapsed.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "measure/compile_cases.hpp"
#include "measure/inputs.hpp"
#include "plan/plan.hpp"
#include "verify/verdict.hpp"

namespace warpclock {
namespace {

struct VerifyOptions {
  Selection selection;
  CompileCasesOptions compile;
  std::string arch = "all";
  bool show = false;
  bool quick = false;
  bool sample = false;
  bool json = false;
  bool quiet = false;
};

struct Row {
  Case one;
  CompiledCase compiled;

  [[nodiscard]] std::string code() const {
    if (!compiled.build) return compiled.build.error().code;
    const Verdict* rejection = compiled.rejection();
    return rejection ? rejection->code : std::string(verified_code);
  }
  [[nodiscard]] std::string text() const {
    if (!compiled.build) return compiled.build.error().message();
    const Verdict* rejection = compiled.rejection();
    return rejection ? rejection->text : "";
  }
};

// Cases with the same name on several architectures share a line.
void print_table(const std::vector<Row>& rows, bool quiet, const Style& style) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const Row*>> by_id;
  for (const Row& row : rows) {
    if (quiet && (row.compiled.skipped() || row.compiled.verified())) continue;
    auto& list = by_id[row.one.id];
    if (list.empty()) order.push_back(row.one.id);
    list.push_back(&row);
  }
  for (const std::string& id : order) {
    std::string verdicts;
    for (const Row* row : by_id[id]) {
      const std::string code = row->code();
      const std::string shown = row->compiled.skipped()    ? style.dim("-")
                                : row->compiled.verified() ? style.green("ok")
                                                           : style.red(code);
      verdicts += fmt::format("  {} {}", to_string(row->one.arch), shown);
    }
    fmt::print("{:<72}{}\n", id, verdicts);
    for (const Row* row : by_id[id])
      if (!row->compiled.skipped() && !row->compiled.verified())
        fmt::print("    {} {}: {}\n", to_string(row->one.arch), style.red(row->code()), row->text());
  }
}

void print_windows(const Row& row, const Style& style) {
  if (!row.compiled.build) return;
  const Build& build = *row.compiled.build;
  for (std::size_t i = 0; i < build.kernels.size() && i < 1; ++i) {
    const Verdict& verdict = row.compiled.verdicts[i];
    fmt::print("\n{} {} n={}  {}\n", style.bold(row.one.id), to_string(row.one.arch), build.kernels[i].n,
               verdict.verified() ? style.green("verified") : style.red(verdict.code + ": " + verdict.text));
    fmt::print("{}", show_window(build.kernels[i].listing, verdict));
    if (verdict.encoded_cycles) fmt::print("encoded distance of two links: {:.2f} cycles\n", *verdict.encoded_cycles);
  }
  if (!build.ptx.empty()) fmt::print("{}\n{}\n", style.dim("from PTX:"), build.ptx);
}

void print_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json one = {{"id", row.one.id}, {"arch", to_string(row.one.arch)}, {"verdict", row.code()}};
    if (const std::string text = row.text(); !text.empty()) one["text"] = text;
    if (row.compiled.build && !row.compiled.verdicts.empty()) {
      const Verdict& verdict = row.compiled.verdicts.front();
      for (const auto& [opcode, times] : verdict.opcodes) one["opcodes"][opcode] = times;
      if (verdict.encoded_cycles) one["encoded_cycles"] = *verdict.encoded_cycles;
      one["sass_hash"] = verdict.sass_hash;
    }
    out.push_back(std::move(one));
  }
  fmt::print("{}\n", out.dump(2));
}

Expected<int> run_verify(const VerifyOptions& options) {
  auto inputs = WARPCLOCK_TRY(load_inputs(options.selection));
  auto archs = WARPCLOCK_TRY(named_archs(options.arch));

  auto cases = WARPCLOCK_TRY(planned(inputs, options.selection, archs));
  if (options.sample) cases = sample(cases);
  if (options.quick || options.sample)
    for (Case& one : cases) one.repeats.resize(1);
  const auto started = Time::now();
  CompileCasesOptions how = options.compile;
  how.ptx = options.show;
  how.quiet = options.json || options.quiet;
  auto compiled = WARPCLOCK_TRY(compile_cases(cases, inputs.sources, how));
  const double seconds = seconds_since(started);

  for (const std::string& warning : unused_parameters(cases, inputs.sources))
    fmt::print(stderr, "{} {}\n", Style(Stream::Err).yellow("warning:"), warning);

  std::vector<Row> rows;
  for (std::size_t i = 0; i < cases.size(); ++i) rows.push_back({std::move(cases[i]), std::move(compiled[i])});
  const auto skipped = std::ranges::count_if(rows, [](const Row& row) { return row.compiled.skipped(); });
  const auto verified = std::ranges::count_if(rows, [](const Row& row) { return row.compiled.verified(); });
  const auto rejected = std::ssize(rows) - skipped - verified;

  if (options.json) {
    print_json(rows);
  } else {
    const Style style(Stream::Out);
    print_table(rows, options.quiet, style);
    if (options.show)
      for (const Row& row : rows) print_windows(row, style);
    if (rejected > 0 && !options.show) fmt::print("--show prints the windows, with what was rejected in them\n");
    fmt::print("{} verified, {} rejected, {} skipped (the architecture lacks the instruction), in {:.1f} s\n",
               counted(verified, "window"), rejected, skipped, seconds);
  }
  return rejected == 0 ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "verify", "Compile every case and prove that the timed machine code is what the probe claims; needs no GPU");
  auto options = std::make_shared<VerifyOptions>();
  add_selection(*command, options->selection);
  add_arch_option(*command, options->arch,
                  "Architectures, or GPUs such as B300, or all (eleven, from sm_75 to sm_121a)")
      ->capture_default_str();
  command->add_flag("--show", options->show, "Print each window: SASS, stall counts, scoreboards, and its PTX");
  command->add_flag("--quick", options->quick, "Only the smallest repeat count of each case; a run verifies all");
  command->add_flag("--sample", options->sample,
                    "The first, middle and last case of each probe, at its smallest repeat count");
  command->add_flag("--json", options->json, "Machine-readable");
  command->add_flag("-q,--quiet", options->quiet, "Print only what is not verified, and the counts");
  add_build_options(*command, options->compile.cache_dir, options->compile.nvdisasm);
  command->footer(
      "Examples:\n"
      "  warpclock verify --arch sm_90a --show shuffle/latency\n"
      "  warpclock verify --suite all --sample --arch H100 --quiet\n"
      "  warpclock verify --probes probes --configs configs mine/probe");
  command->callback([options, &action] { action = [options] { return run_verify(*options); }; });
}

}  // namespace warpclock

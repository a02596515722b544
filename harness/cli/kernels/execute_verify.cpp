#include "cli/kernels/execute_verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/elapsed.hpp"
#include "base/files/folder.hpp"
#include "base/json/json_writer.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/measuring.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "code/toolkit.hpp"
#include "compile/ptxas.hpp"
#include "fields/form_table.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/machine/window_images.hpp"
#include "plan/plan.hpp"
#include "prove/proof_record.hpp"

namespace warpclock {
namespace {

constexpr std::array<std::string_view, 5> proof_names{"verified", "differs", "not followed", "not composed", "not run"};
std::string_view name_of(Proof proof) { return proof_names.at(static_cast<std::size_t>(proof)); }

std::string why(const ProvedForm& form) {
  if (!form.difference.empty()) return form.difference;
  return form.reason ? form.reason->text : std::string();
}

std::string json_of(const DeviceFacts& device, const std::vector<ProvedForm>& forms) {
  std::string text = fmt::format(
      "{{\"schema\":{{\"major\":1,\"minor\":0,\"patch\":0}},\"record\":\"verified-semantics\",\"gpu\":{},\n\"rows\":[",
      JsonLine::of(device.slug));
  for (std::size_t i = 0; i < forms.size(); ++i)
    text += fmt::format("{}\n{{\"id\":{},\"proof\":{},\"sets\":{},\"digest\":{},\"why\":{}}}", i > 0 ? "," : "",
                        JsonLine::of(forms[i].key), JsonLine::of(std::string(name_of(forms[i].proof))), forms[i].sets,
                        JsonLine::of(forms[i].digest), JsonLine::of(why(forms[i])));
  return text + "\n]}\n";
}

void print_forms(const std::vector<ProvedForm>& forms, double seconds) {
  constexpr std::size_t few = 20;
  const Style style(Stream::Out);
  std::map<Proof, std::ptrdiff_t> counts;
  std::int64_t sets = 0;
  for (const ProvedForm& form : forms) {
    ++counts[form.proof];
    if (form.proof == Proof::Verified) sets += form.sets;
    if (forms.size() > few && form.proof != Proof::Differs) continue;
    const std::string_view name = name_of(form.proof);
    const std::string shown =
        form.proof == Proof::Differs ? style.red(fmt::format("{:<12}", name)) : fmt::format("{:<12}", name);
    fmt::print("{} {}{}{}\n", shown, form.key, why(form).empty() ? "" : ": ", why(form));
  }
  std::vector<std::string> parts;
  for (const auto& [proof, count] : counts) parts.push_back(fmt::format("{} {}", count, name_of(proof)));
  fmt::print("{}: {}; {} sets of operands, {:.1f} s\n", counted(std::ssize(forms), "form"), join(parts, ", "), sets,
             seconds);
}

std::vector<WordForm> forms_meant(const Arch& arch, const std::vector<std::string>& patterns) {
  std::vector<WordForm> forms;
  for (const WordForm& form : forms_of(arch).all()) {
    const std::string key = key_of(form);
    const auto wanted = [&](const std::string& pattern) { return matches(pattern, key); };
    if (patterns.empty() || std::ranges::any_of(patterns, wanted)) forms.push_back(form);
  }
  return forms;
}

Expected<int> compare_all(const FormCheckOptions& options, std::optional<Worker> worker,
                          const std::optional<ProofTable>& recorded) {
  const auto started = Time::now();
  const DeviceFacts device = worker ? worker->device() : recorded->device;
  const Arch arch = WARPCLOCK_TRY(parse_arch(device.arch));
  const std::vector<WordForm> forms = forms_meant(arch, options.patterns);
  if (forms.empty())
    return fail("filter", "no machine instruction matches; `warpclock catalogue --sass --list` shows them");
  const std::string nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  Holes holes(arch, nvdisasm, options.cache);
  const Hole& hole = WARPCLOCK_TRY(holes.get(HoleKind::Operands));
  const ProofFrame frame = WARPCLOCK_TRY(proof_frame(arch, nvdisasm, hole));
  const auto folder = WARPCLOCK_TRY(TemporaryFolder::make());
  ProveOptions how{
      .frame = &frame, .forms = forms, .folder = folder.path(), .desk = {}, .recorded = {}, .progress = {}};
  if (worker)
    how.desk = {[&](const Job& job) { worker->post(job); }, [&] { return worker->take(); }};
  else
    how.recorded = digests_of(*recorded);
  if (!options.quiet) how.progress = progress_on_terminal("machine instructions");
  const auto proved = WARPCLOCK_TRY(prove_forms(how));
  clear_progress();
  if (!options.out.empty()) {
    ProofTable table{.provenance = gather_provenance(nvdisasm, device.driver, worker->counters_missing()),
                     .device = device,
                     .operands = operands_digest(),
                     .rows = rows_of(proved)};
    table.provenance.nvrtc.clear();
    if (const auto ptxas = find_ptxas()) table.provenance.ptxas = ptxas_version(*ptxas).value_or("");
    table.provenance.duration_s = seconds_since(started);
    note_worker(table.provenance, *worker);
    WARPCLOCK_TRY(write_all(options.out, {{std::string(proof_file) + ".gz", to_json(table)}}));
  }
  if (options.json)
    fmt::print("{}", json_of(device, proved));
  else
    print_forms(proved, seconds_since(started));
  const auto differs = [](const ProvedForm& form) { return form.proof == Proof::Differs; };
  return std::ranges::any_of(proved, differs) ? 1 : 0;
}

}  // namespace

void add_form_check_options(CLI::App& command, bool& verify, FormCheckOptions& options) {
  command.add_flag("--verify", verify,
                   "Instead of a kernel, execute every form of a machine instruction with thousands of operands, and "
                   "compare with what a GPU does, bit for bit");
  options.gpu.add_options(command);
  add_value(command, "--out", "DIR", options.out, "With --verify: keep digests of the GPU's results in this folder");
  add_value(command, "--cache", "DIR", options.cache, "Folder for compiled code");
  command.add_flag("--exclusive", options.exclusive, "With --verify: exit with 2 where another process is on the GPU");
  command.add_flag("-q,--quiet", options.quiet, "No progress");
}

Expected<int> check_forms(const FormCheckOptions& options) {
  const GpuChoice choice = WARPCLOCK_TRY(with_device(options.gpu));
  if (!choice.gpu.empty() && !choice.here) {
    if (!options.out.empty()) return fail("usage", "--out keeps the results of a GPU of this machine");
    const auto folders = WARPCLOCK_TRY(answering_folders(choice));
    auto table = WARPCLOCK_TRY(read_proofs(folders.front()));
    return compare_all(options, std::nullopt, std::move(table));
  }
  if (!options.out.empty() && !options.patterns.empty())
    return fail("usage", "--out keeps the results of all forms: give no pattern with it");
  auto worker = Worker::start({.counters = false});
  if (!worker)
    return fail(worker.error().code,
                worker.error().text + "; with --gpu h200 the recorded results of that GPU are compared",
                worker.error().place);
  WARPCLOCK_TRY(warn_of_others(*worker, options.exclusive));
  return compare_all(options, *std::move(worker), std::nullopt);
}

}  // namespace warpclock

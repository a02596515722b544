#include "cli/doctor.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "code/toolkit.hpp"
#include "compile/cache.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/ptxas.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/inputs.hpp"

namespace warpclock {
namespace {

Check ok(std::string name, std::string found) { return {std::move(name), State::Ok, std::move(found), {}, {}}; }

Check warn(std::string name, std::string found, std::string fix) {
  return {std::move(name), State::Warn, std::move(found), std::move(fix), {}};
}

Check missing(std::string name, std::string found, std::string fix, Keeps keeps) {
  return {std::move(name), State::Missing, std::move(found), std::move(fix), keeps};
}

std::string cuda_version(int version) { return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10); }

int major_of(const std::string& version) { return leading_number<int>(version).value_or(0); }

/// The text without the advice after a semicolon that some errors have: the check gives its own.
std::string first_clause(const std::string& text) { return text.substr(0, text.find("; ")); }

Check driver(const Findings& findings) {
  if (!findings.driver) {
    return missing(
        "driver", findings.driver.error().text,
        "install the NVIDIA driver, so that nvidia-smi lists the GPU; in a container, start it with the GPUs "
        "(--gpus all)",
        Keeps::Measuring);
  }
  std::string found = fmt::format("up to {}", cuda_version(*findings.driver));
  if (findings.gpu && !findings.gpu->device.driver.empty()) found = findings.gpu->device.driver + ", " + found;
  if (*findings.driver / 1000 < major_of(findings.nvrtc)) {
    return warn(
        "driver", found,
        fmt::format("the driver is older than this program's CUDA {} and may refuse its code: update the driver, "
                    "or build with an older CUDA Toolkit",
                    findings.nvrtc));
  }
  return ok("driver", found);
}

Check gpu(const Findings& findings) {
  if (!findings.driver) return missing("gpu", "none without a driver", "see driver", Keeps::Measuring);
  if (!findings.gpu) {
    const char* fix = findings.gpu.error().code == ErrorCode::NoDevice
                          ? "check that nvidia-smi lists the GPU and that CUDA_VISIBLE_DEVICES does not hide it"
                          : "run nvidia-smi; if it fails too, reload the driver or restart the machine";
    return missing("gpu", findings.gpu.error().text, fix, Keeps::Measuring);
  }
  const DeviceFacts& device = findings.gpu->device;
  std::string found = fmt::format("{}, {}, {} SMs, {} L2", device.name, device.arch, device.sms,
                                  human_bytes(static_cast<std::uint64_t>(device.l2_bytes)));
  if (findings.gpu->count > 1) {
    found += fmt::format(" (the first of {}; CUDA_VISIBLE_DEVICES chooses another)", findings.gpu->count);
  }
  return ok("gpu", found);
}

Check clocks(const GpuFinding& gpu) {
  if (!gpu.now) {
    return warn(
        "clocks", "unknown: " + gpu.now.error().text,
        "install the driver's management library (libnvidia-ml.so.1); without it reports lack throttle reasons, "
        "power and temperature");
  }
  std::string found =
      fmt::format("SM {:.0f} of up to {:.0f} MHz requested, memory {:.0f} MHz", gpu.now->sm_mhz.value_or(0),
                  gpu.device.sm_clock_max_mhz, gpu.now->memory_mhz.value_or(0));
  if (gpu.now->throttle.empty()) return ok("clocks", found);
  found += ", held back by " + join(gpu.now->throttle, ", ");
  if (std::ranges::find(gpu.now->throttle, "applications-clocks-setting") != gpu.now->throttle.end()) {
    return warn("clocks", found,
                "someone locked the clocks: fine if it was you; nvidia-smi -rgc (and -rac) sets them free");
  }
  return warn("clocks", found, "cool the GPU, end other work on it, or raise its power limit (nvidia-smi -q -d POWER)");
}

Check counters(const Findings& findings) {
  if (!findings.cupti) {
    return warn(
        "counters", "this build has no CUPTI",
        "configure with -DWARPCLOCK_CUPTI=ON and a CUDA Toolkit 12.6 or newer; reports lack hit rates until then");
  }
  if (!findings.cupti_missing.empty()) {
    return warn("counters", first_clause(findings.cupti_missing),
                "install the CUDA Toolkit's CUPTI and set CUDAToolkit_ROOT; reports lack hit rates until then");
  }
  std::string known = fmt::format("CUPTI knows {} chips", findings.chips);
  if (!findings.gpu) return ok("counters", known + "; permission can be tried only on a GPU");
  if (!findings.gpu->counters_missing.empty()) {
    return warn("counters", findings.gpu->counters_missing, "until then reports lack hit rates; every timing goes on");
  }
  return ok("counters", fmt::format("permitted on {}; {}", findings.gpu->device.chip, known));
}

std::string listed(const std::vector<const ArchFinding*>& archs) {
  std::vector<std::string> names;
  names.reserve(archs.size());
  for (const ArchFinding* finding : archs) names.push_back(to_string(finding->arch));
  return join(names, ", ");
}

/// A failure on some architectures is a warning, unless the GPU's own is among them. A failure on all is worse.
Check tool(const Findings& findings, std::string name, const std::string& version,
           std::optional<Error> ArchFinding::*outcome, const std::string& fix) {
  std::vector<const ArchFinding*> good, bad;
  for (const ArchFinding& finding : findings.archs) {
    const bool tried = outcome == &ArchFinding::compile || !finding.compile;
    if (tried) ((finding.*outcome) ? bad : good).push_back(&finding);
  }
  if (good.empty() && bad.empty()) return ok(std::move(name), version);
  if (bad.empty()) return ok(std::move(name), fmt::format("{}, serves {}", version, listed(good)));
  const std::optional<Error>& why = bad.front()->*outcome;
  const std::string found =
      fmt::format("{}, not for {}: {}", version, listed(bad), first_clause(why ? why->text : std::string()));
  if (good.empty()) return missing(std::move(name), found, fix, Keeps::Verifying);
  const bool own = findings.gpu && std::ranges::any_of(bad, [&](const ArchFinding* finding) {
                     return to_string(finding->arch) == findings.gpu->device.arch;
                   });
  if (own) return missing(std::move(name), found, fix, Keeps::Measuring);
  return warn(std::move(name), found, fix);
}

Check nvdisasm(const Findings& findings) {
  const char* fix =
      "./bootstrap fetches one; or install the CUDA Toolkit's nvdisasm (13.0 or newer) and name it in "
      "WARPCLOCK_NVDISASM";
  if (!findings.nvdisasm)
    return missing("nvdisasm", first_clause(findings.nvdisasm.error().text), fix, Keeps::Verifying);
  if (!findings.nvdisasm_version) {
    return missing("nvdisasm", first_clause(findings.nvdisasm_version.error().text), fix, Keeps::Verifying);
  }
  const std::string version = fmt::format("{} ({})", *findings.nvdisasm_version, *findings.nvdisasm);
  return tool(findings, "nvdisasm", version, &ArchFinding::disassemble, fix);
}

/// Code written in CUDA C++ does not need ptxas.
Check ptxas(const Findings& findings) {
  const char* fix =
      "cycles and catalogue need one: ./bootstrap fetches it; or install nvcc (13.0 or newer) and name its ptxas in "
      "WARPCLOCK_PTXAS";
  if (!findings.ptxas) return warn("ptxas", first_clause(findings.ptxas.error().text), fix);
  if (!findings.ptxas_version) return warn("ptxas", first_clause(findings.ptxas_version.error().text), fix);
  const std::string version = fmt::format("{} ({})", *findings.ptxas_version, *findings.ptxas);
  Check check = tool(findings, "ptxas", version, &ArchFinding::assemble, fix);
  if (check.state == State::Missing) check.state = State::Warn;
  return check;
}

Check cache(const Findings& findings) {
  if (!findings.cache_warning.empty())
    return warn("cache", findings.cache_warning, "point WARPCLOCK_CACHE to a folder that only you can write to");
  return ok("cache", findings.cache);
}

Check probes(const Findings& findings) {
  if (!findings.probes) {
    return missing("probes", findings.probes.error().message(), "correct the file named here", Keeps::Verifying);
  }
  if (*findings.probes == 0) {
    return missing("probes", "no config names a probe", "check --configs", Keeps::Verifying);
  }
  return ok("probes", fmt::format("{} in the configs, every kernel there", *findings.probes));
}

}  // namespace

bool Diagnosis::measures() const {
  return std::ranges::none_of(checks, [](const Check& check) { return check.state == State::Missing; });
}

bool Diagnosis::verifies() const {
  return std::ranges::none_of(
      checks, [](const Check& check) { return check.state == State::Missing && check.keeps == Keeps::Verifying; });
}

Diagnosis diagnose(const Findings& findings) {
  Diagnosis diagnosis{{driver(findings), gpu(findings)}};
  if (findings.gpu) {
    diagnosis.checks.push_back(clocks(*findings.gpu));
    diagnosis.checks.push_back(ok("ecc", findings.gpu->device.ecc));
  }
  diagnosis.checks.push_back(counters(findings));
  diagnosis.checks.push_back(
      tool(findings, "nvrtc", findings.nvrtc, &ArchFinding::compile,
           "install a CUDA Toolkit whose NVRTC knows these architectures, with libnvrtc-builtins in the same folder, "
           "and set CUDAToolkit_ROOT; or install warpclock by pip, which fetches it"));
  diagnosis.checks.push_back(nvdisasm(findings));
  diagnosis.checks.push_back(ptxas(findings));
  diagnosis.checks.push_back(cache(findings));
  diagnosis.checks.push_back(probes(findings));
  return diagnosis;
}

namespace {

// Called only after the worker has opened the device: a driver that hangs would hang the first process that calls it.
void look_beside_worker(const Driver& driver, GpuFinding& gpu) {
  CUdevice device = 0;
  std::array<char, 32> bus_id{};
  if (driver.cuInit(0) != CUDA_SUCCESS || driver.cuDeviceGetCount(&gpu.count) != CUDA_SUCCESS ||
      driver.cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
      driver.cuDeviceGetPCIBusId(bus_id.data(), bus_id.size() - 1, device) != CUDA_SUCCESS) {
    gpu.now = fail("no-nvml", "the driver does not name the GPU's place");
    return;
  }
  const auto nvml = Nvml::open(bus_id.data());
  if (!nvml) {
    gpu.now = std::unexpected(nvml.error());
  } else {
    gpu.now = nvml->read();
  }
}

Expected<GpuFinding> look_at_gpu(const Driver& driver) {
  const auto worker = WARPCLOCK_TRY(Worker::start());
  GpuFinding gpu{worker.device(), worker.counters_missing()};
  look_beside_worker(driver, gpu);
  return gpu;
}

void look_at_driver(Findings& findings) {
  const auto driver = load_driver();
  if (!driver) {
    findings.driver = std::unexpected(driver.error());
    findings.gpu = std::unexpected(driver.error());
    return;
  }
  int version = 0;
  if (driver->cuDriverGetVersion(&version) == CUDA_SUCCESS) findings.driver = version;
  findings.gpu = look_at_gpu(*driver);
}

std::optional<Error> try_disassembling(const std::string& nvdisasm, const std::string& image) {
  const auto path = memory_file(hash_hex(image), image);
  if (!path) return path.error();
  const auto text = disassemble(nvdisasm, *path);
  if (!text) return text.error();
  return std::nullopt;
}

std::optional<Error> try_assembling(const std::string& ptxas, const Target& target) {
  CompileRequest request;
  request.unit = fmt::format(".version {}\n.target {}\n.address_size 64\n.visible .entry doctor()\n{{\n  ret;\n}}\n",
                             ptx_isa_version(), to_string(target.arch));
  request.target = target;
  const Compilation assembled = assemble(ptxas, request);
  if (assembled.status == Compilation::Status::Done) return std::nullopt;
  return compile_error(assembled);
}

ArchFinding try_arch(const Arch& arch, const Findings& findings) {
  ArchFinding finding{arch, {}, {}, {}};
  const auto target = target_for(arch);
  if (!target) {
    finding.compile = target.error();
    return finding;
  }
  CompileRequest request;
  request.unit = "extern \"C\" __global__ void doctor(unsigned* p) { *p = threadIdx.x; }\n";
  request.target = *target;
  const Compilation compiled = compile(request);
  if (compiled.status != Compilation::Status::Done) {
    finding.compile = compile_error(compiled);
  } else if (!target->is_ptx && findings.nvdisasm) {
    finding.disassemble = try_disassembling(*findings.nvdisasm, compiled.image);
  }
  if (findings.ptxas) finding.assemble = try_assembling(*findings.ptxas, *target);
  return finding;
}

void look_at_tools(Findings& findings) {
  findings.nvrtc = nvrtc_version();
  findings.nvdisasm = find_nvdisasm();
  if (findings.nvdisasm) findings.nvdisasm_version = nvdisasm_version(*findings.nvdisasm);
  findings.ptxas = find_ptxas();
  if (findings.ptxas) findings.ptxas_version = ptxas_version(*findings.ptxas);
  const Cache cache = Cache::open("");
  findings.cache = cache.folder();
  findings.cache_warning = cache.warning();
  std::vector<Arch> archs = verified_archs();
  if (findings.gpu) {
    const auto own = parse_arch(findings.gpu->device.arch);
    if (own && std::ranges::find(archs, *own) == archs.end()) archs.push_back(*own);
  }
  for (const Arch& arch : archs) findings.archs.push_back(try_arch(arch, findings));
}

/// Examines this machine: driver, GPU (through the worker process), counters, NVRTC, nvdisasm, cache, configs. Takes a
/// few seconds because it tries each of them.
Findings look_at_machine(const DoctorOptions& options) {
  Findings findings;
  look_at_driver(findings);
  findings.cupti = counters_built();
  findings.cupti_missing = counters_library_missing();
  findings.chips = counter_chips().size();
  look_at_tools(findings);
  Selection selection;
  selection.probes_dir = options.probes_dir;
  selection.configs_dir = options.configs_dir;
  if (const auto inputs = load_inputs(selection)) {
    findings.probes = inputs->suite.probes.size();
  } else {
    findings.probes = std::unexpected(inputs.error());
  }
  return findings;
}

const char* summary(const Diagnosis& diagnosis) {
  if (diagnosis.measures()) return "Everything that measuring needs is here: run, verify, replay and report work.";
  if (diagnosis.verifies()) return "Measuring (run) does not work here; verify, replay and report do.";
  return "Measuring (run) and verify do not work here; replay and report do.";
}

}  // namespace

Sheet doctor_sheet(const Diagnosis& diagnosis) {
  Sheet sheet;
  sheet.facts = {{"works",
                  "",
                  {"", {{"run", diagnosis.measures()}, {"verify", diagnosis.verifies()}, {"replay", true}}},
                  Audience::Programs}};
  Table checks{.key = "checks", .columns = columns({"state", "name", "found", "-fix"}), .headed = false};
  for (const Check& check : diagnosis.checks) {
    const Tone tone = check.state == State::Ok ? Tone::Good : check.state == State::Warn ? Tone::Doubtful : Tone::Bad;
    const std::string fix = check.fix.empty() ? "" : "\n-> " + check.fix;
    checks.rows.push_back({Cell(std::string(word(check.state))).with(tone),
                           check.name,
                           {check.found + fix, check.found},
                           {check.fix, check.fix}});
  }
  sheet.tables = {std::move(checks)};
  sheet.notes = {summary(diagnosis)};
  return sheet;
}

namespace {

/// Prints what was found, what is missing and how to fix it. Returns 0 if this machine can measure, else 1.
int doctor(const DoctorOptions& options) {
  const Diagnosis diagnosis = diagnose(look_at_machine(options));
  print(doctor_sheet(diagnosis), options.format);
  return diagnosis.measures() ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("doctor", "Say what this machine has, what is missing, and how to fix it");
  auto options = std::make_shared<DoctorOptions>();
  add_value(*command, "--probes", "DIR", options->probes_dir, "Folder of .cu files instead of the ones built in");
  add_value(*command, "--configs", "DIR", options->configs_dir, "Folder of .yaml files instead of the ones built in");
  options->format.add_options(*command);
  command->footer(
      "Examples:\n"
      "  warpclock doctor\n"
      "  warpclock doctor --json");
  command->callback([options, &action] { action = [options] { return doctor(*options); }; });
}

}  // namespace warpclock

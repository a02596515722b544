#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "cli/doctor_checks.hpp"
#include "code/nvdisasm.hpp"
#include "compile/cache.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/memory_file.hpp"
#include "compile/ptxas.hpp"
#include "gpu/counters/counters.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/inputs.hpp"

namespace warpclock {
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

}  // namespace

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

}  // namespace warpclock

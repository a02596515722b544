#include "cli/doctor.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

bool driver_here() { return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr; }

nlohmann::json row(const nlohmann::json& doctor, const std::string& name) {
  for (const auto& check : doctor.at("checks")) {
    if (check.at("name") == name) return check;
  }
  ADD_FAILURE() << "no check called " << name;
  return {};
}

TEST(DoctorOnThisMachine, SaysWhatWorksWhereThereIsNoDriver) {
  if (driver_here()) GTEST_SKIP() << "this machine has a driver";
  const auto ran = must(run_process({WARPCLOCK_PROGRAM, "doctor", "--json"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  const auto doctor = json_of(ran.out);
  EXPECT_EQ(row(doctor, "driver").at("state"), "missing");
  EXPECT_EQ(row(doctor, "gpu").at("state"), "missing");
  EXPECT_EQ(row(doctor, "nvrtc").at("state"), "ok") << row(doctor, "nvrtc");
  EXPECT_EQ(row(doctor, "probes").at("state"), "ok") << row(doctor, "probes");
  EXPECT_EQ(doctor.at("works").at("run"), false);
  EXPECT_EQ(doctor.at("works").at("replay"), true);
}

TEST(DoctorOnThisMachine, NoticesAMissingDisassemblerAndABadConfig) {
  const testing::TemporaryFolder folder;
  const testing::Variable variable("WARPCLOCK_NVDISASM", "/nowhere/nvdisasm");
  const auto ran = must(run_process({WARPCLOCK_PROGRAM, "doctor", "--configs", folder.path()}));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("missing  nvdisasm"));
  EXPECT_THAT(ran.out, HasSubstr("/nowhere/nvdisasm"));
  EXPECT_THAT(ran.out, HasSubstr("missing  probes"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b["))) << "a pipe is no terminal";
}

// An H200 without problems.
Findings healthy() {
  Findings findings;
  findings.driver = 13000;
  GpuFinding gpu;
  gpu.device.name = "NVIDIA H200";
  gpu.device.arch = "sm_90a";
  gpu.device.chip = "GH100";
  gpu.device.sms = 132;
  gpu.device.l2_bytes = 62914560;
  gpu.device.sm_clock_max_mhz = 1980;
  gpu.device.ecc = "on";
  gpu.device.driver = "580.159.03";
  gpu.now = NvmlReading{1980, 3201, 120, 40, {}};
  findings.gpu = gpu;
  findings.cupti = true;
  findings.chips = 30;
  findings.nvrtc = "13.0";
  findings.nvdisasm = "/usr/local/cuda/bin/nvdisasm";
  findings.nvdisasm_version = "13.0.39";
  findings.ptxas = "/usr/local/cuda/bin/ptxas";
  findings.ptxas_version = "13.0.88";
  for (const Arch& arch : verified_archs()) findings.archs.push_back({arch, {}, {}, {}});
  findings.cache = "/root/.cache/warpclock";
  findings.probes = std::size_t{31};
  return findings;
}

Findings without_gpu() {
  Findings findings = healthy();
  findings.driver = fail("no-driver", "the NVIDIA driver is not installed");
  findings.gpu = std::unexpected(findings.driver.error());
  return findings;
}

Check check(const Findings& findings, const std::string& name) {
  for (const Check& found : diagnose(findings).checks) {
    if (found.name == name) return found;
  }
  ADD_FAILURE() << "no check called " << name;
  return {};
}

bool has(const Findings& findings, const std::string& name) {
  const Diagnosis diagnosis = diagnose(findings);
  return std::ranges::find(diagnosis.checks, name, &Check::name) != diagnosis.checks.end();
}

TEST(Doctor, FindsNothingWrongWithAHealthyMachine) {
  const Diagnosis diagnosis = diagnose(healthy());
  for (const Check& found : diagnosis.checks) {
    EXPECT_EQ(found.state, State::Ok) << found.name << ": " << found.found;
    EXPECT_THAT(found.fix, IsEmpty());
  }
  EXPECT_TRUE(diagnosis.measures());
  EXPECT_TRUE(diagnosis.verifies());
}

TEST(Doctor, SaysWhatWorksWithoutAGpu) {
  const Diagnosis diagnosis = diagnose(without_gpu());
  EXPECT_FALSE(diagnosis.measures());
  EXPECT_TRUE(diagnosis.verifies());
  EXPECT_EQ(check(without_gpu(), "driver").state, State::Missing);
  EXPECT_EQ(check(without_gpu(), "gpu").state, State::Missing);
  EXPECT_EQ(check(without_gpu(), "counters").state, State::Ok);
  EXPECT_FALSE(has(without_gpu(), "clocks"));
  EXPECT_THAT(to_text(doctor_sheet(diagnosis), Style(false)),
              HasSubstr("Measuring (run) does not work here; verify, replay and report do."));
}

TEST(Doctor, GoesOnWithoutCounters) {
  Findings refused = healthy();
  refused.gpu->counters_missing = "the NVIDIA driver keeps hardware counters for administrators: run as root";
  EXPECT_EQ(check(refused, "counters").state, State::Warn);
  EXPECT_THAT(check(refused, "counters").found, HasSubstr("run as root"));
  EXPECT_TRUE(diagnose(refused).measures());

  Findings absent = healthy();
  absent.cupti = false;
  EXPECT_EQ(check(absent, "counters").state, State::Warn);
  EXPECT_TRUE(diagnose(absent).measures());

  Findings not_installed = healthy();
  not_installed.cupti_missing = "no hardware counters: there is no libcupti.so.13; install the CUDA Toolkit";
  EXPECT_EQ(check(not_installed, "counters").state, State::Warn);
  EXPECT_EQ(check(not_installed, "counters").found, "no hardware counters: there is no libcupti.so.13");
  EXPECT_TRUE(diagnose(not_installed).measures());
}

TEST(Doctor, TellsLockedClocksFromThrottledOnes) {
  Findings locked = healthy();
  locked.gpu->now = NvmlReading{1200, 3201, 120, 40, {"applications-clocks-setting"}};
  EXPECT_EQ(check(locked, "clocks").state, State::Warn);
  EXPECT_THAT(check(locked, "clocks").found, HasSubstr("SM 1200 of up to 1980 MHz requested"));
  EXPECT_THAT(check(locked, "clocks").fix, HasSubstr("nvidia-smi -rgc"));

  Findings hot = healthy();
  hot.gpu->now = NvmlReading{1500, 3201, 700, 90, {"hw-thermal-slowdown"}};
  EXPECT_THAT(check(hot, "clocks").found, HasSubstr("hw-thermal-slowdown"));
  EXPECT_THAT(check(hot, "clocks").fix, Not(HasSubstr("-rgc")));

  Findings unseen = healthy();
  unseen.gpu->now = fail("no-nvml", "libnvidia-ml.so.1 is not installed");
  EXPECT_EQ(check(unseen, "clocks").state, State::Warn);
  EXPECT_TRUE(diagnose(unseen).measures());
}

TEST(Doctor, WarnsOfADriverOlderThanTheCompiler) {
  Findings old = healthy();
  old.driver = 12040;
  EXPECT_EQ(check(old, "driver").state, State::Warn);
  EXPECT_THAT(check(old, "driver").found, HasSubstr("CUDA 12.4"));
  old.nvrtc = "9.2";
  EXPECT_EQ(check(old, "driver").state, State::Ok) << "12 is newer than 9";
}

TEST(Doctor, CannotVerifyWithoutADisassembler) {
  Findings none = without_gpu();
  none.nvdisasm = fail("nvdisasm", "there is no nvdisasm; install it");
  none.nvdisasm_version = std::unexpected(none.nvdisasm.error());
  EXPECT_EQ(check(none, "nvdisasm").state, State::Missing);
  EXPECT_EQ(check(none, "nvdisasm").found, "there is no nvdisasm");
  EXPECT_FALSE(diagnose(none).verifies());
  EXPECT_THAT(to_text(doctor_sheet(diagnose(none)), Style(false)), HasSubstr("run) and verify do not work here"));
}

TEST(Doctor, ToleratesADisassemblerThatLacksOtherArchitectures) {
  Findings old = healthy();
  const Error refusal{"nvdisasm", "nvdisasm does not know sm_100", ""};
  for (ArchFinding& finding : old.archs) {
    if (finding.arch.sm >= 100) finding.disassemble = refusal;
  }
  EXPECT_EQ(check(old, "nvdisasm").state, State::Warn);
  EXPECT_THAT(check(old, "nvdisasm").found, HasSubstr("not for sm_100a, sm_120a: nvdisasm does not know sm_100"));
  EXPECT_TRUE(diagnose(old).measures());

  for (ArchFinding& finding : old.archs) {
    if (finding.arch.sm == 90) finding.disassemble = refusal;
  }
  EXPECT_EQ(check(old, "nvdisasm").state, State::Missing) << "the GPU's own architecture";
  EXPECT_FALSE(diagnose(old).measures());
  EXPECT_TRUE(diagnose(old).verifies()) << "sm_80 is left";

  for (ArchFinding& finding : old.archs) finding.disassemble = refusal;
  EXPECT_FALSE(diagnose(old).verifies());
}

TEST(Doctor, WarnsWithoutAnAssembler) {
  Findings none = healthy();
  none.ptxas = fail("ptxas", "there is no ptxas; install it");
  EXPECT_EQ(check(none, "ptxas").state, State::Warn) << "probes do without";
  EXPECT_EQ(check(none, "ptxas").found, "there is no ptxas");
  EXPECT_THAT(check(none, "ptxas").fix, HasSubstr("cycles and catalogue need one"));
  Findings old = healthy();
  EXPECT_EQ(check(old, "ptxas").state, State::Ok);
  for (ArchFinding& finding : old.archs) finding.assemble = Error{"compile-error", "Unsupported .version 9.0", ""};
  EXPECT_EQ(check(old, "ptxas").state, State::Warn);
  EXPECT_THAT(check(old, "ptxas").found, HasSubstr("Unsupported .version 9.0"));
  EXPECT_TRUE(diagnose(old).measures());
}

TEST(Doctor, BlamesTheCompilerNotTheDisassembler) {
  Findings broken = healthy();
  for (ArchFinding& finding : broken.archs) finding.compile = Error{"compile-error", "no libnvrtc-builtins", ""};
  EXPECT_EQ(check(broken, "nvrtc").state, State::Missing);
  EXPECT_EQ(check(broken, "nvdisasm").state, State::Ok);
  EXPECT_THAT(check(broken, "nvdisasm").found, Not(HasSubstr("serves"))) << "nothing was there to try it on";
  EXPECT_FALSE(diagnose(broken).verifies());
}

TEST(Doctor, NeedsAConfigThatCanBeRead) {
  Findings bad = healthy();
  bad.probes = fail("config", "unknown value 'cgg'", "configs/cache.yaml:14:9");
  EXPECT_EQ(check(bad, "probes").state, State::Missing);
  EXPECT_THAT(check(bad, "probes").found, HasSubstr("configs/cache.yaml:14:9"));
  bad.probes = std::size_t{0};
  EXPECT_EQ(check(bad, "probes").state, State::Missing);
  bad = healthy();
  bad.cache_warning = "/nowhere cannot be written; using /tmp/warpclock-0";
  EXPECT_EQ(check(bad, "cache").state, State::Warn);
  EXPECT_TRUE(diagnose(bad).measures());
  EXPECT_TRUE(diagnose(bad).verifies());
}

TEST(Doctor, PrintsAlignedLinesAndColoursOnlyWhenAsked) {
  const Diagnosis diagnosis{{{"gpu", State::Ok, "NVIDIA H200", "", {}},
                             {"counters", State::Warn, "refused", "run as root", {}},
                             {"nvdisasm", State::Missing, "none", "install it", Keeps::Verifying}}};
  EXPECT_EQ(to_text(doctor_sheet(diagnosis), Style(false)),
            "  ok       gpu       NVIDIA H200\n"
            "  warn     counters  refused\n"
            "                     -> run as root\n"
            "  missing  nvdisasm  none\n"
            "                     -> install it\n"
            "\n"
            "Measuring (run) and verify do not work here; replay and report do.\n");
  EXPECT_THAT(to_text(doctor_sheet(diagnosis), Style(true)),
              HasSubstr("\x1b[32m  ok\x1b[0m       gpu       NVIDIA H200\n"));
}

TEST(Doctor, WritesJson) {
  Findings findings = without_gpu();
  findings.cache_warning = "not UTF-8: \xff";
  const auto json = json_of(pretty(to_json(doctor_sheet(diagnose(findings)))));
  EXPECT_EQ(json.at("works"), (nlohmann::ordered_json{{"run", false}, {"verify", true}, {"replay", true}}));
  const auto& first = json.at("checks").at(0);
  EXPECT_EQ(first.at("name"), "driver");
  EXPECT_EQ(first.at("state"), "missing");
  EXPECT_EQ(first.at("found"), "the NVIDIA driver is not installed");
  EXPECT_THAT(first.at("fix").get<std::string>(), HasSubstr("install"));
}

}  // namespace
}  // namespace warpclock

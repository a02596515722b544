#include <dlfcn.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json/json_text.hpp"
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

}  // namespace
}  // namespace warpclock

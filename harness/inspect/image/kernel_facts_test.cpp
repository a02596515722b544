#include "inspect/image/kernel_facts.hpp"

#include <random>

#include "base/testing/matchers.hpp"
#include "code/listing.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

using testing::arch;

const char* const kernels = R"(
extern "C" __global__ void plain(float* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void __launch_bounds__(256, 2) bounds(float* p) {
  __shared__ float s[100];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void __maxnreg__(24) spills(float* p, int n) {
  float v[48];
  for (int i = 0; i < 48; i++) v[i] = p[i * 32 + threadIdx.x];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 48; i++) v[i] = v[i] * v[(i + 7) % 48] + 1.f;
  for (int i = 0; i < 48; i++) p[i * 32 + threadIdx.x] = v[i];
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(float* p) { p[threadIdx.x] = 2; }
#endif
)";

std::string cubin_for(const std::string& arch_name) {
  const Compilation done = compile({.unit = kernels, .headers = {}, .target = target_for(arch(arch_name)).value()});
  EXPECT_EQ(done.status, Compilation::Status::Done) << done.log;
  return done.image;
}

TEST(KernelFacts, AreWhatPtxasPrints) {
  for (const std::string name : {"sm_80", "sm_90a", "sm_100a", "sm_120a"}) {
    const auto facts = must(kernel_facts(cubin_for(name)));
    ASSERT_EQ(facts.size(), name == "sm_80" ? 3U : 4U);
    const KernelFacts& bounds = facts.at("bounds");
    EXPECT_TRUE(bounds.entry);
    EXPECT_EQ(bounds.registers, 10) << name;
    EXPECT_EQ(bounds.barriers, 1) << name;
    EXPECT_EQ(bounds.shared_bytes, 400) << name;
    EXPECT_EQ(bounds.most_threads, 256) << name;
    EXPECT_EQ(bounds.most_registers, 128) << name;
    EXPECT_EQ(bounds.parameter_bytes, 8) << name;
    EXPECT_EQ(bounds.stack_bytes, 0) << name;
    EXPECT_THAT(bounds.spills.value(), IsEmpty()) << name;
    EXPECT_EQ(facts.at("plain").barriers, 0) << name;
    EXPECT_EQ(facts.at("plain").shared_bytes, 0) << name;
    EXPECT_EQ(facts.at("spills").registers, 24) << name;
    EXPECT_GE(facts.at("spills").stack_bytes, 100) << name;
    if (name == "sm_80") continue;
    EXPECT_EQ(facts.at("cluster").cluster_blocks, 2) << name;
  }
}

/// Whether the instruction at an address in a kernel accesses local memory.
std::vector<std::uint64_t> local_accesses(const std::string& cubin, const std::string& kernel) {
  const auto text = disassemble_with_lines(find_nvdisasm().value(), cubin);
  const auto listings = parse_listings(text.value()).value();
  std::vector<std::uint64_t> addresses;
  for (const Listing& listing : listings) {
    if (listing.kernel != kernel) continue;
    for (const Instruction& each : listing.instructions) {
      if (each.opcode == "STL" || each.opcode == "LDL") addresses.push_back(each.address);
    }
  }
  return addresses;
}

TEST(KernelFacts, ListTheLoadsAndStoresThatSpill) {
  const std::string cubin = cubin_for("sm_90a");
  const auto facts = must(kernel_facts(cubin));
  const auto local = local_accesses(cubin, "spills");
  EXPECT_GT(local.size(), 50U);
  EXPECT_THAT(facts.at("spills").spills.value(), ::testing::UnorderedElementsAreArray(local));
}

TEST(KernelFacts, ListWhereJumpsThroughRegistersLead) {
  const Compilation done = compile({.unit = R"(extern "C" __global__ void k(int* p) { switch (p[0]) {
#define C(i) case i: p[i] = p[p[i]] * i; break;
C(0) C(1) C(2) C(3) C(4) C(5) C(6) C(7) C(8) C(9) C(10) C(11) C(12) C(13) C(14) C(15)
} })",
                                    .target = target_for(arch("sm_90a")).value()});
  ASSERT_EQ(done.status, Compilation::Status::Done) << done.log;
  const auto facts = kernel_facts(done.image);
  const auto listings = parse_listings(disassemble_with_lines(find_nvdisasm().value(), done.image).value());
  std::size_t jumps = 0;
  for (const Instruction& each : listings->at(0).instructions) {
    if (each.opcode != "BRX") continue;
    ++jumps;
    ASSERT_TRUE(facts->at("k").indirect.contains(each.address)) << each.address;
    for (const std::uint64_t target : facts->at("k").indirect.at(each.address))
      EXPECT_LT(target / 16, listings->at(0).instructions.size());
  }
  EXPECT_GT(jumps, 0U);
  EXPECT_EQ(facts->at("k").indirect.size(), jumps);
}

TEST(KernelFacts, StayWithinEveryTruncatedOrGarbledCubin) {
  const std::string good = cubin_for("sm_90a");
  for (std::size_t size = 0; size < good.size(); size += 7) static_cast<void>(kernel_facts(good.substr(0, size)));
  EXPECT_EQ(kernel_facts(good.substr(0, good.size() / 2)).error().code, "elf");
  const std::size_t info = good.find(std::string("\x04\x0a\x08\x00", 4));
  ASSERT_NE(info, good.npos);
  std::string longer = good;
  longer[info + 3] = 0x7f;  // bytes of an attribute
  EXPECT_EQ(kernel_facts(longer).error().text, "the cubin cannot be read: an attribute of a kernel is cut short");
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string garbled = good;
    for (auto edits = 1 + random() % 6; edits > 0; --edits)
      garbled[random() % garbled.size()] = static_cast<char>(random());
    static_cast<void>(kernel_facts(garbled));
  }
}

TEST(KernelFacts, SayWhereParametersAre) {
  const auto all = must(kernel_facts(cubin_for("sm_90a")));
  const auto& parameters = all.at("spills").parameters;
  ASSERT_EQ(parameters.size(), 2U);
  EXPECT_EQ(parameters[0].bytes, 8);
  EXPECT_EQ(parameters[1].at, 8);
  EXPECT_EQ(parameters[1].bytes, 4);
}

}  // namespace
}  // namespace warpclock

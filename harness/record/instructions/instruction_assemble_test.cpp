#include "record/instructions/instruction_assemble.hpp"

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

PtxInstruction fma() { return described("fma.rn.f32 {d}, {a}, {b}, {c}").value(); }

/// A trial without a window, like one that did not compile.
Trial trial(Question question, const std::string& code = "verified") {
  Trial made;
  made.experiment.question = question;
  made.experiment.links = {{0, 1}};
  made.experiment.ilp = question == Question::Latency ? 1 : 4;
  made.verdict.code = code;
  if (code != "verified") made.verdict.text = "why not";
  made.kernels = {{6, "k6", "a"}, {12, "k12", "a"}, {24, "k24", "a"}};
  made.which = 0;
  return made;
}

CompiledInstruction compiled_from(std::vector<Trial> trials) {
  CompiledInstruction compiled;
  compiled.expansion.opcodes = {"FFMA"};
  compiled.expansion.kinds = {{"FFMA", 1}};
  compiled.trials = std::move(trials);
  return compiled;
}

CompiledInstruction compiled_with_problem(const std::string& code) {
  CompiledInstruction compiled;
  compiled.problem = Error{code, "because", ""};
  return compiled;
}

void add_series(Observation& observation, double slope) {
  for (const std::int64_t n : {6, 12, 24}) {
    observation.samples.push_back({n, std::vector<double>(5, 30 + slope * static_cast<double>(n))});
  }
}

Row assembled(const CompiledInstruction& compiled, const std::vector<Timing>& timings = {},
              const Expected<Observation>* observation = nullptr) {
  return assemble_instruction({"fp32/fma", "fp32", "fma.rn.f32 {d}, {a}, {b}, {c}", "sm_90a"}, fma(), compiled, timings,
                              observation);
}

void expect_ended(const Row& row, Outcome outcome, const std::string& stage, const std::string& code) {
  EXPECT_EQ(row.outcome, outcome) << code;
  EXPECT_EQ(row.reason.stage, stage);
  EXPECT_EQ(row.reason.code, code);
  EXPECT_THAT(row.estimates, IsEmpty());
  EXPECT_EQ(row.id, "fp32/fma");
  EXPECT_EQ(row.arch, "sm_90a");
  EXPECT_EQ(row.instruction.types, "f32");
}

const Estimate* estimate_of(const Row& row, const std::string& name) {
  return find_by(row.estimates, name, &Estimate::name);
}

TEST(AssembleInstruction, OutcomesBeforeAnythingRuns) {
  expect_ended(assembled(compiled_with_problem("unsupported-arch")), Outcome::Skipped, "plan", "unsupported-arch");
  expect_ended(assembled(compiled_with_problem("compile-error")), Outcome::Failed, "compile", "compile-error");
  expect_ended(assembled(compiled_with_problem("no-instruction")), Outcome::Skipped, "verify", "no-instruction");
  expect_ended(assembled(compiled_with_problem("clock-mismatch")), Outcome::Rejected, "verify", "clock-mismatch");
  expect_ended(assembled(compiled_from({})), Outcome::Rejected, "verify", "no-experiment");
  expect_ended(assembled(compiled_from({trial(Question::Latency, "folded"), trial(Question::Throughput, "count")})),
               Outcome::Rejected, "verify", "folded");
}

TEST(AssembleInstruction, OutcomesOfTheRun) {
  const CompiledInstruction compiled = compiled_from({trial(Question::Latency)});
  expect_ended(assembled(compiled, {{0, 1}}), Outcome::Skipped, "run", "not-run");
  const Expected<Observation> lost = fail("watchdog", "no answer within 10 s");
  const Row failed = assembled(compiled, {{0, 1}}, &lost);
  expect_ended(failed, Outcome::Failed, "run", "watchdog");
  EXPECT_THAT(failed.reason.text, HasSubstr("no answer within 10 s"));
  Observation flat;
  add_series(flat, 0);
  const Expected<Observation> flat_one = flat;
  const Row none = assembled(compiled, {{0, 1}}, &flat_one);
  expect_ended(none, Outcome::Rejected, "analyze", "no-slope");
  EXPECT_EQ(none.instruction.runs.front().verdict, "no-slope");
}

TEST(AssembleInstruction, SaysHowMuchOfAnEncodedDistanceIsNoStallCount) {
  Trial chain = trial(Question::Latency);
  chain.verdict.encoded_cycles = 13;
  chain.verdict.waited_cycles = 5;
  chain.verdict.via = {{"FADD", 4}};
  chain.verdict.note = "MOV is done once for all copies";
  Observation observation;
  add_series(observation, 13);
  const Expected<Observation> given = observation;
  const Row row = assembled(compiled_from({chain}), {{0, 1}}, &given);
  ASSERT_NE(estimate_of(row, "encoded.a"), nullptr);
  EXPECT_EQ(estimate_of(row, "encoded.a")->value, 9);
  EXPECT_EQ(estimate_of(row, "encoded.a")->note, "stall counts give 4 cycles, and two-pass multiplies wait 5 more");
  EXPECT_EQ(row.instruction.runs.front().note,
            "MOV is done once for all copies; " + estimate_of(row, "encoded.a")->note);
  EXPECT_EQ(estimate_of(row, "latency.a")->note, "via FADD (4 cycles, encoded); MOV is done once for all copies");
  EXPECT_THAT(row.instruction.findings, IsEmpty());
  chain.verdict.waited_cycles = 0;
  EXPECT_EQ(estimate_of(assembled(compiled_from({chain}), {{0, 1}}, &given), "encoded.a")->note, "");
}

TEST(AssembleInstruction, LatenciesAndTheGridInTheirOrder) {
  Trial chain = trial(Question::Latency);
  chain.verdict.encoded_cycles = 8;
  chain.verdict.via = {{"SEL", 4}};
  chain.verdict.note = "PRMT is done once for all copies";
  Trial copies = trial(Question::Throughput);
  copies.verdict.note = "UMOV is done once for all copies";
  const CompiledInstruction compiled = compiled_from({chain, copies});
  Observation observation;
  observation.clock.sm_mhz = 1980;
  add_series(observation, 8);
  add_series(observation, 8);
  add_series(observation, 16);
  const Expected<Observation> given = observation;
  const Row row = assembled(compiled, {{0, 1}, {1, 1}, {1, 4}}, &given);
  EXPECT_EQ(row.outcome, Outcome::Measured);
  EXPECT_EQ(row.clock.sm_mhz, 1980);
  EXPECT_THAT(row.instruction.became, ElementsAre("FFMA"));
  ASSERT_NE(estimate_of(row, "latency.a"), nullptr);
  EXPECT_DOUBLE_EQ(estimate_of(row, "latency.a")->value, 4);
  EXPECT_EQ(estimate_of(row, "latency.a")->note, "via SEL (4 cycles, encoded); PRMT is done once for all copies");
  ASSERT_EQ(row.instruction.runs.size(), 2U);
  EXPECT_EQ(row.instruction.runs[0].note, "PRMT is done once for all copies");
  EXPECT_EQ(row.instruction.runs[1].note, "UMOV is done once for all copies");
  ASSERT_NE(estimate_of(row, "encoded.a"), nullptr);
  EXPECT_DOUBLE_EQ(estimate_of(row, "encoded.a")->value, 4);
  EXPECT_EQ(estimate_of(row, "encoded.a")->method, "encoded");
  EXPECT_THAT(row.instruction.findings, IsEmpty());
  ASSERT_EQ(row.instruction.curve.size(), 2U);
  EXPECT_DOUBLE_EQ(row.instruction.curve[0].rate, 32.0 * 4 / 8);
  EXPECT_DOUBLE_EQ(row.instruction.curve[1].rate, 32.0 * 4 * 4 / 16);
  ASSERT_NE(estimate_of(row, "throughput"), nullptr);
  EXPECT_DOUBLE_EQ(estimate_of(row, "throughput")->value, 32);
  EXPECT_EQ(row.instruction.runs[1].samples.size(), 2U);
  EXPECT_EQ(row.instruction.runs[0].samples.at(1).size(), 3U);
}

TEST(AssembleInstruction, AChainThatReadsTooEarlyHasNoLatency) {
  Trial chain = trial(Question::Latency), other = chain;
  other.experiment.links = {{0, 2}};
  chain.compared = other.compared = ComparedKernels{{6, "k24", "e"}, {6, "k24", "p"}};
  Observation observation;
  add_series(observation, 4);
  add_series(observation, 3);
  for (int i = 0; i < 4; ++i) observation.samples.push_back({6, std::vector<double>(5, 300)});
  const auto row_with = [&](std::vector<std::string> compared) {
    observation.digests.assign(6, "");
    std::ranges::copy(compared, std::back_inserter(observation.digests));
    const Expected<Observation> given = observation;
    return assembled(compiled_from({chain, other}), {{0, 1}, {1, 1}}, &given);
  };
  const Row row = row_with({"7", "7", "9", "8"});
  ASSERT_NE(estimate_of(row, "latency.a"), nullptr);
  EXPECT_EQ(estimate_of(row, "latency.b"), nullptr);
  EXPECT_EQ(row.instruction.runs[1].verdict, "stale-read");
  EXPECT_EQ(row.instruction.runs[1].samples.at(1).size(), 3U) << "what was timed stays to be looked at";
  EXPECT_NE(estimate_of(row_with({"7", "7", "8", "8"}), "latency.b"), nullptr);
  EXPECT_NE(estimate_of(row_with({"7", "7", "9", ""}), "latency.b"), nullptr)
      << "what it computes differs from launch to launch";
  EXPECT_EQ(row_with({"5", "7", "9", "8"}).outcome, Outcome::Rejected);
}

TEST(AssembleInstruction, NamesOpcodesThatOnlyLargerWindowsAlternateWith) {
  const auto labels_with = [](const Code& further, const std::vector<std::pair<std::string, double>>& via = {}) {
    Trial chain = trial(Question::Latency);
    chain.further = further;
    chain.verdict.via = via;
    CompiledInstruction compiled = compiled_from({chain});
    compiled.expansion.opcodes = {"IMAD.IADD"};
    return assembled(compiled).instruction.labels;
  };
  const std::string add = kind_of("IMAD.IADD");
  ASSERT_EQ(kind_of("IADD3"), add);
  EXPECT_THAT(labels_with({{{"IMAD.IADD", add}, 26}, {{"IADD3", add}, 12}, {{"LOP3.LUT", "LOP3.LUT"}, 9}}),
              ElementsAre("alternates with IADD3"));
  EXPECT_THAT(labels_with({{{"IMAD.IADD", add}, 38}, {{"IADD3", add}, 1}}), IsEmpty()) << "the compiler's own";
  EXPECT_THAT(labels_with({{{"IMAD.IADD", add}, 38}}), IsEmpty());
  EXPECT_THAT(labels_with({{{"IMAD.IADD", add}, 38}, {{"IADD3", add}, 38}}, {{"IADD3", 4}}), IsEmpty())
      << "it links the copies";
}

TEST(AssembleInstruction, SaysThatAccessesToMemoryAreTimedOnOneSm) {
  const auto labels = [](const std::string& ptx) {
    const InstructionName name{"memory/row", "memory", ptx, "sm_90a"};
    return assemble_instruction(name, described(ptx).value(), compiled_from({}), {}, nullptr).instruction.labels;
  };
  for (const char* outside : {"ld.global.cg.u32 {d}, [{a}]", "red.global.add.u32 [{a}], {b}", "ld.u32 {d}, [{a}]",
                              "cp.async.cg.shared.global [{d}], [{a}], 16"})
    EXPECT_THAT(labels(outside), Contains("on one SM; all copies access the same bytes")) << outside;
  for (const char* inside : {"ld.shared.u32 {d}, [{a}]", "ld.const.u32 {d}, [{a}]", "add.u32 {d}, {a}, {b}"})
    EXPECT_THAT(labels(inside), Not(Contains(HasSubstr("on one SM")))) << inside;
  EXPECT_THAT(labels("add.u32 {d}, {a}, {b}"), IsEmpty());
  EXPECT_THAT(labels("mbarrier.try_wait.shared::cta.b64 {p}, [{a}], {b}"),
              ElementsAre("the phase is complete", "the lanes of a warp use one mbarrier"));
}

// add.rn.f32 by 32 warps gave 130.6, where four schedulers issue 128.
TEST(AssembleInstruction, ARateAboveWhatSchedulersIssueIsNotPublished) {
  const CompiledInstruction compiled = compiled_from({trial(Question::Latency), trial(Question::Throughput)});
  Observation observation;
  add_series(observation, 8);
  add_series(observation, 1);
  const Expected<Observation> given = observation;
  const Row row = assembled(compiled, {{0, 1}, {1, 4}}, &given);
  EXPECT_EQ(row.outcome, Outcome::Measured) << "the latency is right";
  EXPECT_EQ(estimate_of(row, "throughput"), nullptr);
  EXPECT_EQ(row.instruction.runs[1].verdict, "premise-broken");
  EXPECT_THAT(row.instruction.runs[1].text,
              HasSubstr("throughput is at most 128: a warp instruction a clock and scheduler"));
}

TEST(AssembleInstruction, ADifferenceFromTheEncodingIsAFinding) {
  Trial chain = trial(Question::Latency);
  chain.verdict.encoded_cycles = 4;
  Observation observation;
  add_series(observation, 6);
  const Expected<Observation> given = observation;
  const Row row = assembled(compiled_from({chain}), {{0, 1}}, &given);
  ASSERT_EQ(row.instruction.findings.size(), 1U);
  EXPECT_THAT(row.instruction.findings.front(), HasSubstr("latency.a: "));
}

Row latency_row(const std::vector<std::pair<std::int64_t, double>>& windows, double line, std::optional<double> encoded,
                std::vector<std::pair<std::string, double>> via = {}) {
  Row row;
  InstructionRun run;
  run.measure = "latency.a";
  run.verdict = verified_code;
  run.encoded_cycles = encoded;
  run.via = std::move(via);
  double links = 0;
  for (const auto& [opcode, cycles] : run.via) links += cycles;
  for (const auto& [n, cycles] : windows) run.samples[1].push_back({n, {cycles, cycles}});
  row.instruction.runs.push_back(run);
  row.estimates.push_back({"latency.a", line, line - 0.05, line + 0.05, "cycles", "slope", 6, ""});
  if (encoded) {
    const double alone = *encoded - links;
    row.estimates.push_back({"encoded.a", alone, alone, alone, "cycles", "encoded", 6, ""});
  }
  return row;
}

TEST(FixedLatency, IsTheWholeNumberThatIsEncodedAndInTheInterval) {
  // setp.lt.f32: the window of 24 copies ends two cycles earlier than the others.
  auto row = latency_row({{6, 56}, {12, 104}, {24, 198}}, 3.881, 8, {{"SEL", 4}});
  state_fixed_latencies(row);
  const Estimate& latency = row.estimates[0];
  EXPECT_EQ(latency.value, 4);
  EXPECT_NEAR(latency.low, 198 / 12.0 - 104 / 12.0 - 4, 0.01);
  EXPECT_NEAR(latency.high, 4, 1e-9);
  EXPECT_THAT(latency.note, HasSubstr("the line through the windows has 3.88"));
  EXPECT_THAT(row.instruction.findings, IsEmpty());
  const Row once = row;
  state_fixed_latencies(row);
  EXPECT_EQ(row, once);
}

TEST(FixedLatency, WithoutAnEncodedOneItIsTheOnlyWholeNumber) {
  auto row = latency_row({{6, 260}, {12, 506}, {24, 996}}, 40.881, std::nullopt);
  state_fixed_latencies(row);
  EXPECT_EQ(row.estimates[0].value, 41);
  auto both = latency_row({{6, 20}, {12, 52}, {24, 100}}, 4.381, std::nullopt);
  state_fixed_latencies(both);
  EXPECT_EQ(both.estimates[0].value, 4.381) << "4 and 5 are in [4, 5.33]";
  auto mixed = latency_row({{6, 260}, {12, 506}, {24, 996}}, 40.881, std::nullopt);
  mixed.instruction.labels = {"alternates with HADD2"};
  state_fixed_latencies(mixed);
  EXPECT_EQ(mixed.estimates[0].value, 40.881) << "a mean of two opcodes is no whole number";
}

TEST(FixedLatency, AMeasuredDifferenceIsNoEndOfAWindow) {
  auto row = latency_row({{6, 50}, {12, 98}, {24, 194}}, 8, 6);
  state_fixed_latencies(row);
  EXPECT_EQ(row.estimates[0].value, 8) << "each window says 8, whatever is encoded";
  auto noisy = latency_row({{6, 56}, {12, 104}, {24, 198}}, 3.881, 4);
  noisy.instruction.runs[0].samples[1][0].cycles = {56, 60};
  state_fixed_latencies(noisy);
  EXPECT_EQ(noisy.estimates[0].value, 3.881);
}

TEST(FixedLatency, AnEncodedMeanOutsideTheIntervalIsExplained) {
  auto row = latency_row({{6, 50}, {12, 98}, {24, 195}}, 8.0595, 7.8947);
  row.estimates[0].low = 8.034;
  row.estimates[0].high = 8.085;
  state_fixed_latencies(row);
  EXPECT_EQ(row.estimates[0].value, 8.0595);
  ASSERT_EQ(row.instruction.findings.size(), 1U);
  EXPECT_THAT(row.instruction.findings[0],
              StartsWith("latency.a: 8.06 cycles are measured and 7.89 encoded: ptxas makes"));
  state_fixed_latencies(row);
  EXPECT_EQ(row.instruction.findings.size(), 1U);
}

}  // namespace
}  // namespace warpclock

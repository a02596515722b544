#include <gtest/gtest.h>

#include <algorithm>

#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "cli/answers/answers.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

std::vector<RecordedTable> tables() { return recorded_tables({"h200", testing::cut_reports}).value(); }

const std::string ldmatrix = "matrix_move/ldmatrix.sync.aligned.m8n8.x4.shared.b16";

TEST(RecordedAnswer, IsTheMeasuredRowOfThisPtx) {
  const auto recorded = tables();
  const auto answers = recorded_answers(recorded, "fma.rn.f32 {d}, {a}, {b}, {c}");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].row->id, "fp32/fma.rn.f32") << "not the row with a chosen value of a";
  EXPECT_THAT(recorded_answers(recorded, "fma.rn.f32 {d}, {a}, {b}, {b}"), IsEmpty());
  EXPECT_EQ(recorded_answers(recorded, "fma.rn.f32 {d}, {a}, {b}, 0x10").size(), 0U);
  EXPECT_EQ(recorded_answers(recorded, "ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {d}, [{a}]").size(), 1U);
  EXPECT_THAT(recorded_answers(recorded, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {d}, [{a}]"), IsEmpty())
      << "it was skipped";
}

TEST(RecordedAnswer, AShortNameMeansTheShortestInstructionWithItsParts) {
  const auto recorded = tables();
  const auto row_of = [&](const std::string& name) {
    const auto answers = recorded_by_name(recorded, name);
    return answers.empty() ? std::string() : answers[0].row->id;
  };
  EXPECT_EQ(row_of("ldmatrix.x4"), ldmatrix);
  EXPECT_THAT(row_of("ldmatrix.x4.trans"), HasSubstr("x4.trans"));
  EXPECT_EQ(row_of("x4.ldmatrix"), "");
  EXPECT_EQ(row_of("x4"), "");
  EXPECT_EQ(row_of("ldmatrix.x1"), "") << "it was skipped";
  EXPECT_EQ(row_of("ldmatrix x4"), "");
  EXPECT_EQ(row_of(""), "");
  EXPECT_EQ(row_of("."), "");
}

TEST(RecordedAnswer, TheShortestIsMeantInWhateverOrderTheRowsAre) {
  auto recorded = tables();
  std::ranges::reverse(recorded.at(0).table.rows);
  const auto answers = recorded_by_name(recorded, "ldmatrix.x4");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].row->id, ldmatrix);
}

TEST(RecordedAnswer, TextAndJsonSayTheSame) {
  const auto recorded = tables();
  const RecordedAnswer answer = recorded_by_name(recorded, "ldmatrix.x4").at(0);
  const std::string text = recorded_text({"ldmatrix.x4", 3}, answer, nullptr, Style(false));
  EXPECT_THAT(text, StartsWith("ldmatrix.x4: 29.0 cycles (H200, measured 2026-11-23)\n"));
  EXPECT_THAT(text, HasSubstr("29.00 cycles  (4 for LOP3.LUT, 5 for LOP3.LUT, 5 for IMAD.IADD subtracted)\n"));
  const auto json = recorded_json({"ldmatrix.x4", 3}, answer, nullptr);
  EXPECT_EQ(json.at("asked"), "ldmatrix.x4");
  EXPECT_EQ(json.at("line"), 3);
  EXPECT_EQ(json.at("answer"), "29.0 cycles");
  EXPECT_EQ(json.at("recorded").at("date").get<std::string>().substr(0, 10), "2026-11-23");
  for (const auto& part : {json.at("recorded").at("row"), json.at("recorded").at("file"), json.at("became").at(0),
                           json.at("arch"), json.at("estimates").at(0).at("name")}) {
    EXPECT_THAT(text, HasSubstr(part.get<std::string>()));
  }
  EXPECT_THAT(text, HasSubstr("commit " + json.at("recorded").at("commit").get<std::string>().substr(0, 8)));
}

ProcessResult run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), WARPCLOCK_PROGRAM);
  return run_process(arguments).value();
}

TEST(CyclesOfAMeasuredGpu, AnswersFromItsRows) {
  const auto ran = run(
      {"cycles", "ldmatrix.x4", "fma.rn.f32 %f1, %f2, %f3, %f4;", "--gpu", "h200", "--reports", testing::cut_reports});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("ldmatrix.x4: 29.0 cycles (H200, measured 2026-11-23)\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nfma.rn.f32 %f1, %f2, %f3, %f4: 4.0 cycles (H200, measured 2026-11-23)\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("(sm_90a, encoded)")));
}

TEST(CyclesOfAMeasuredGpu, SaysWhyAnOperandHasNoLatencyAndWhatARateIs) {
  const std::vector<std::string> asked = {
      "cycles",    "st.shared.b32 [{a}], {b}",     "atom.global.add.u32 {d}, [{a}], {b}", "--gpu", "h200",
      "--reports", WARPCLOCK_SOURCE_DIR "/reports"};
  const auto ran = run(asked);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n  latency          none: it writes no register, so nothing can wait for it\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n  latency.a        not measured: only loads are chained through an address\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("(4 warps x 4 independent copies)\n  interval         4.00 cycles a warp instruction"));
  auto for_programs = asked;
  for_programs.emplace_back("--json");
  const auto json = nlohmann::ordered_json::parse(run(for_programs).out);
  EXPECT_THAT(json.at(0).at("not_measured").at("latency").get<std::string>(),
              StartsWith("none: it writes no register"));
  EXPECT_THAT(json.at(1).at("not_measured").at("latency.a").get<std::string>(), StartsWith("not measured: "));
}

TEST(CyclesOfAMeasuredGpu, SaysWhatIsEncodedWhereThereIsNoRow) {
  const auto ran =
      run({"cycles", "add.f32 {d}, {a}, {b}", "--gpu", "h200", "--no-throughput", "--reports", testing::cut_reports});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("add.f32 {d}, {a}, {b}: 4 cycles (sm_90a, encoded)\n"));
  EXPECT_THAT(ran.out, HasSubstr("sm_90a: FADD"));
}

TEST(CyclesOfAMeasuredGpu, HasRowsOfMachineInstructions) {
  const auto ran = run({"cycles", "--sass", "FFMA R1, R2, R3, R4", "--gpu", "h200", "--reports", testing::cut_reports});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("FFMA R1, R2, R3, R4: 4.00 cycles (H200, measured 2026-11-23)\n"));
  EXPECT_THAT(ran.out, HasSubstr("@PT FFMA R#, R#, R#, R#\n"));
  EXPECT_THAT(ran.out, HasSubstr("4.00 cycles, minimum stall count 4"));
  EXPECT_THAT(ran.out, HasSubstr("nvidia-h200/machine.json, commit f81e0954"));
  const auto none = run({"cycles", "--sass", "FADD R1, R2, R3", "--gpu", "h200", "--reports", testing::cut_reports});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.out, HasSubstr("FADD R1, R2, R3: no row (there is no row in "));
}

TEST(CyclesOfAMeasuredGpu, HasAJsonObjectForEachMachineInstruction) {
  const auto ran =
      run_process(
          {WARPCLOCK_PROGRAM, "cycles", "--sass", "-", "--json", "--gpu", "h200", "--reports", testing::cut_reports},
          {.input = "FFMA R1, R2, R3, R4\n# one more\nFFMMA R1, R2, R3, R4\nHMMA.16816.F32 R4, R8, R12, R4\n"})
          .value();
  EXPECT_EQ(ran.exit_code, 1);
  const auto json = nlohmann::ordered_json::parse(ran.out);
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0].at("answer"), "4.00 cycles");
  EXPECT_EQ(json[0].at("row").at("latencies").size(), 3U);
  EXPECT_EQ(json[1].at("line"), 3);
  EXPECT_EQ(json[1].at("outcome"), "refused");
  EXPECT_EQ(json[1].at("error").at("place"), "3");
  EXPECT_THAT(json[1].at("error").at("text").get<std::string>(), HasSubstr("(did you mean 'FFMA'?)"));
  EXPECT_EQ(json[2].at("answer"), "R12 16.00, R2 13.00, R20 11.00 cycles");
}

TEST(CyclesOfAMeasuredGpu, NamesWhatIsWrong) {
  const auto unknown =
      run({"cycles", "fma.rn.f32 {d}, {a}, {b}, {c}", "--gpu", "b200", "--reports", testing::cut_reports});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--gpu: there are no reports of 'b200'"));
  EXPECT_EQ(run({"cycles", "fma.rn.f32 {d}, {a}, {b}, {c}", "--gpu", "h200", "--arch", "sm_80"}).exit_code, 2);
}

}  // namespace
}  // namespace warpclock

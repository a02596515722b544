#include <gtest/gtest.h>

#include <algorithm>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "cli/answers/answers.hpp"
#include "model/testing/measured.hpp"

namespace warpclock {
namespace {

std::vector<RecordedTable> tables() { return recorded_tables({"h200", testing::cut_reports}).value(); }

std::string text_of(const Sheet& sheet) { return to_text(sheet, Style(false)); }

const std::string ldmatrix = "matrix_move/ldmatrix.sync.aligned.m8n8.x4.shared.b16";

const std::string committed_reports = WARPCLOCK_SOURCE_DIR "/reports";

std::vector<RecordedAnswer> answers_to(const std::vector<RecordedTable>& tables, const std::string& ptx) {
  return recorded_answers(tables, opcode_table().value(), ptx);
}

TEST(RecordedAnswer, IsTheMeasuredRowOfThisPtx) {
  const auto recorded = tables();
  const auto answers = answers_to(recorded, "fma.rn.f32 {d}, {a}, {b}, {c}");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].row->id, "fp32/fma.rn.f32") << "not the row with a chosen value of a";
  EXPECT_EQ(answers[0].because, "");
  EXPECT_THAT(answers_to(recorded, "fma.rn.f32 {d}, {a}, {b}, {b}"), IsEmpty());
  EXPECT_EQ(answers_to(recorded, "fma.rn.f32 {d}, {a}, {b}, 0x10").size(), 0U);
  EXPECT_EQ(answers_to(recorded, "ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {d}, [{a}]").size(), 1U);
  EXPECT_THAT(answers_to(recorded, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {d}, [{a}]"), IsEmpty())
      << "it was skipped";
}

/// What compilers write, and the row that has it under another spelling: found in the text, without a compiler.
TEST(RecordedAnswer, IsFoundUnderAnotherSpelling) {
  const auto recorded = recorded_tables({"h200", committed_reports}).value();
  for (const auto& [asked, id] : std::vector<std::pair<std::string, std::string>>{
           {"ld.shared.f32 %f1, [%r1];", "load/ld.shared.b32"},
           {"ld.shared.u32 %r2, [%r1];", "load/ld.shared.b32"},
           {"ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];", "load/ld.shared.v4.b32"},
           {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];", "load/ld.global.v4.b32"},
           {"ld.global.nc.f32 %f1, [%rd1];", "load/ld.global.nc.b32"},
           {"ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
            "load/ld.global.nc.L1::no_allocate.L2::256B.v4.b32"},
           {"ld.const.u32 %r1, [%rd1];", "load/ld.const.b32"},
           {"@%p1 st.global.f32 [%rd1], %f1;", "store/st.global.b32"},
           {"st.global.wt.f32 [%rd1], %f1;", "store/st.global.wt.b32"},
           {"cp.async.cg.shared.global [%r1], [%rd1], 16;", "async/cp.async.cg.shared.global"},
           {"shfl.sync.down.b32 %r1, %r2, 16, 0x1f, %r3;", "warp/shfl.sync.down.b32[1]"},
           {"vote.sync.ballot.b32 %r1, %p1, %r2;", "warp/vote.sync.ballot.b32"},
           {"fns.b32 %r1, %r2, %r3, %r4;", "bit/fns.b32"}}) {
    const Subject subject = subject_of(asked, opcode_table().value(), {}).value();
    const auto answers = answers_to(recorded, subject.ptx);
    ASSERT_EQ(answers.size(), 1U) << asked;
    EXPECT_EQ(answers[0].row->id, id);
    const std::string text = text_of(recorded_sheet({asked}, answers[0], &subject));
    EXPECT_THAT(text, HasSubstr(id)) << "the row that answers";
    EXPECT_THAT(text, StartsWith(title_of({asked}))) << "and the line that was asked";
    const bool spelled = !answers[0].because.empty();
    EXPECT_EQ(text.contains("answered by") && text.contains(answers[0].row->ptx + "  ("), spelled) << text;
    EXPECT_EQ(to_json(recorded_sheet({asked}, answers[0], &subject)).at("recorded").contains("because"), spelled);
  }
}

/// Without a compiler the nearest row answers; with one the machine code decides.
TEST(RecordedAnswer, TheNearestRowSaysThatItIsOnlyThat) {
  const auto recorded = recorded_tables({"h200", committed_reports}).value();
  const std::string ptx = "mul.wide.s32 {d}, {a}, 4";
  EXPECT_THAT(answers_to(recorded, ptx), IsEmpty());
  const auto nearest = recorded_answers(recorded, opcode_table().value(), ptx, Spelled::Operands);
  ASSERT_EQ(nearest.size(), 1U);
  EXPECT_EQ(nearest[0].row->id, "integer/mul.wide.s32");
  EXPECT_THAT(nearest[0].because, StartsWith("nearest row: it has a register for a constant"));
}

TEST(RecordedAnswer, AShortNameMeansTheShortestInstructionWithItsParts) {
  const auto recorded = tables();
  const auto row_of = [&](const std::string& name) {
    const auto answers = recorded_by_name(recorded, name);
    return answers.empty() ? std::string() : answers[0].rows.front()->id;
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
  ASSERT_EQ(answers[0].rows.size(), 1U);
  EXPECT_EQ(answers[0].rows[0]->id, ldmatrix);
  EXPECT_THAT(answers[0].others, Contains("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"));
}

TEST(RecordedAnswer, OfSeveralRowsTheUsualOneIsFirst) {
  const auto recorded = recorded_tables({"h200", committed_reports}).value();
  const auto ids = [&](const std::string& name) {
    std::vector<std::string> all;
    const auto named = recorded_by_name(recorded, name);
    for (const Row* row : named.at(0).rows) all.push_back(row->id);
    return all;
  };
  EXPECT_THAT(ids("ld.global"),
              ElementsAre("load/ld.global.b32", "load/ld.global.b64", "load/ld.global.b128", "load/ld.global.u16",
                          "load/ld.global.s16", "load/ld.global.u8", "load/ld.global.s8"));
  EXPECT_EQ(ids("cp.async").front(), "async/cp.async.cg.shared.global") << "the copy, not commit_group";
  EXPECT_THAT(ids("cp.async"), Contains("async/cp.async.ca.shared.global[4]"));
  EXPECT_THAT(ids("cp.async"), Not(Contains("async/cp.async.commit_group")));
  EXPECT_EQ(ids("mma.m16n8k16").front(), "mma/mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_THAT(ids("bar.sync"), ElementsAre("barrier/bar.sync[0]", "barrier/bar.sync[1,32]"));
  EXPECT_THAT(ids("shfl.sync.down.b32"), ElementsAre("warp/shfl.sync.down.b32")) << "exactly this name";
}

TEST(RecordedAnswer, ANameOfSeveralRowsListsThemWithTheirNumbers) {
  const auto recorded = recorded_tables({"h200", committed_reports}).value();
  const NamedRows named = recorded_by_name(recorded, "ld.global").at(0);
  const std::string text = text_of(named_sheet({"ld.global"}, named, named));
  EXPECT_THAT(text, StartsWith("ld.global: 7 rows have this name (H200, measured "));
  for (const Row* row : named.rows)
    EXPECT_THAT(text, ::testing::ContainsRegex(row->id.substr(5) + " d, \\[a\\] +" + headline(*row) +
                                               " .* results/clk/SM .*LDG"));
  EXPECT_THAT(text, HasSubstr("\n  also     ld.global.v2.b8, "));
}

/// A number of another window says nothing about the GPU: the answer of the second one says so, and the first's does
/// not.
TEST(RecordedAnswer, OfOtherMachineCodeIsNotCompared) {
  const std::string id = "wmma/wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16";
  RecordedTable first = recorded_tables({"h200", committed_reports}).value().at(0), second = first;
  second.table.device.name = "NVIDIA H300";
  Row& row = *std::ranges::find(second.table.rows, id, &Row::id);
  const Row before = row;
  for (Estimate& estimate : row.estimates)
    if (estimate.name == "latency.b") estimate.value = estimate.low = estimate.high = 100;
  EXPECT_THAT(not_compared({second.table, row}, {first.table, before}), IsEmpty()) << "a difference of the GPUs";
  for (InstructionRun& run : row.instruction.runs) run.sass_hash = "another";
  const std::vector<Fact> said = not_compared({second.table, row}, {first.table, before});
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0].says.text, StartsWith("latency.b: no comparison with NVIDIA H200"));
  EXPECT_EQ(said[0].says.value["numbers"], Json::array({"latency.b"}));
  EXPECT_THAT(not_compared({first.table, before}, {first.table, before}), IsEmpty());
  Row& other = *std::ranges::find(second.table.rows, "fp32/fma.rn.f32", &Row::id);
  const NamedRows of_first{&first, {}, {}}, named{&second, {&row, &other}, {}};
  EXPECT_THAT(text_of(named_sheet({"x"}, named, of_first)),
              HasSubstr("other code than on the H200, so no difference of the GPUs: " + id.substr(5) + "\n"));
  EXPECT_THAT(text_of(named_sheet({"x"}, named, named)), Not(HasSubstr("other code")));
}

TEST(RecordedAnswer, WithoutAResultTheHeadlineIsTheCyclesOfOneWarp) {
  const auto recorded = recorded_tables({"h200", committed_reports}).value();
  for (const char* ptx : {"bar.sync 0", "fence.proxy.async", "st.global.b32 [{a}], {b}", "membar.gl"}) {
    const RecordedAnswer answer = answers_to(recorded, ptx).at(0);
    EXPECT_THAT(headline(*answer.row), HasSubstr(" cycles for one warp, ")) << ptx;
    const std::string text = text_of(recorded_sheet({ptx}, answer, nullptr));
    EXPECT_THAT(text, HasSubstr(" thread instructions/clk/SM")) << ptx;
    EXPECT_THAT(text, Not(HasSubstr("results/clk/SM"))) << ptx;
  }
  const RecordedAnswer elect = answers_to(recorded, "elect.sync {d}|{p}, 0xffffffff").at(0);
  EXPECT_THAT(headline(*elect.row), EndsWith(" cycles for one warp"));
  EXPECT_THAT(text_of(recorded_sheet({"elect"}, elect, nullptr)), HasSubstr("results/clk/SM"));
}

TEST(RecordedAnswer, SaysHowManyMultiplyAddsAResultIs) {
  const auto recorded = recorded_tables({"h200", committed_reports}).value();
  const RecordedAnswer packed = answers_to(recorded, "fma.rn.f16x2 {d}, {a}, {b}, {c}").at(0);
  EXPECT_THAT(text_of(recorded_sheet({"fma"}, packed, nullptr)),
              ::testing::ContainsRegex("\n  multiply-adds +[0-9.]+ FMA/clk/SM, 2 a result\n"));
  const RecordedAnswer plain = answers_to(recorded, "fma.rn.f32 {d}, {a}, {b}, {c}").at(0);
  EXPECT_THAT(text_of(recorded_sheet({"fma"}, plain, nullptr)), Not(HasSubstr("multiply-adds")));
}

TEST(RecordedAnswer, TextAndJsonSayTheSame) {
  const auto recorded = tables();
  const RecordedAnswer answer{recorded.data(), recorded_by_name(recorded, "ldmatrix.x4").at(0).rows.at(0), {}};
  const std::string text = text_of(recorded_sheet({"ldmatrix.x4", 3}, answer, nullptr));
  EXPECT_THAT(text, StartsWith("ldmatrix.x4: 29.0 cycles (H200, measured 2026-11-23)\n"));
  EXPECT_THAT(text,
              HasSubstr("29.00 cycles  (linked by LOP3.LUT, LOP3.LUT, IMAD.IADD: 4 + 5 + 5 cycles subtracted)\n"));
  const auto json = to_json(recorded_sheet({"ldmatrix.x4", 3}, answer, nullptr));
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
      "cycles",    "st.shared.b32 [{a}], {b}",     "atom.acquire.gpu.global.add.u32 {d}, [{a}], {b}", "--gpu", "h200",
      "--reports", WARPCLOCK_SOURCE_DIR "/reports"};
  const auto ran = run(asked);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("\n  latency +none: it has no result register\n"));
  EXPECT_THAT(ran.out,
              ::testing::ContainsRegex("\n  latency.a +not measured: only loads are chained through an address\n"));
  EXPECT_THAT(ran.out,
              ::testing::ContainsRegex("independent copies\\)\n  interval +one warp instruction every 4.00 cycles"));
  auto for_programs = asked;
  for_programs.emplace_back("--json");
  const auto json = json_of(run(for_programs).out);
  EXPECT_THAT(json.at(0).at("not_measured").at("latency").get<std::string>(),
              StartsWith("none: it has no result register"));
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
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("latency A +4.00 cycles from R2, minimum stall count 4"));
  EXPECT_THAT(ran.out, HasSubstr("nvidia-h200/machine.json, commit f81e0954"));
  const auto none = run({"cycles", "--sass", "FADD R1, R2, R3", "--gpu", "h200", "--reports", testing::cut_reports});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.out, HasSubstr("FADD R1, R2, R3: no row (there is no row of 'FADD R#, R#, R#', and no near one"));
}

TEST(CyclesOfAMeasuredGpu, HasAJsonObjectForEachMachineInstruction) {
  const auto ran =
      run_process(
          {WARPCLOCK_PROGRAM, "cycles", "--sass", "-", "--json", "--gpu", "h200", "--reports", testing::cut_reports},
          {.input = "FFMA R1, R2, R3, R4\n# one more\nFFMMA R1, R2, R3, R4\nHMMA.16816.F32 R4, R8, R12, R4\n"})
          .value();
  EXPECT_EQ(ran.exit_code, 1);
  const auto json = json_of(ran.out);
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0].at("answer"), "4.00 cycles");
  EXPECT_EQ(json[0].at("row").at("machine").at("operands").size(), 3U);
  EXPECT_EQ(json[1].at("line"), 3);
  EXPECT_EQ(json[1].at("outcome"), "refused");
  EXPECT_EQ(json[1].at("error").at("place"), "3");
  EXPECT_THAT(json[1].at("error").at("text").get<std::string>(), HasSubstr("(did you mean 'FFMA'?)"));
  EXPECT_EQ(json[2].at("answer"), "A 16.00, B 13.00, C 11.00 cycles");
}

TEST(CyclesOfAMeasuredGpu, AnOpcodeOfMachineCodeHasItsRows) {
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"cycles", "IMAD"}, {"cycles", "--sass", "IMAD"}}) {
    auto arguments = asked;
    arguments.insert(arguments.end(), {"--gpu", "h200", "--reports", committed_reports});
    const auto ran = run(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                ::testing::ContainsRegex("^IMAD: [0-9]+ machine instructions \\(H200, measured .*\n"
                                         "  @PT IMAD R#, R#, R#, R# +[0-9.]+ cycles +one every [0-9.]+ cycles\n"));
    EXPECT_THAT(ran.out, HasSubstr("@PT IMAD.WIDE R#, R#, R#, R#"));
  }
  const auto pasted =
      run({"cycles", "--sass", "@PT FFMA R#, R#, R#, R#", "--gpu", "h200", "--reports", testing::cut_reports});
  EXPECT_EQ(pasted.exit_code, 0) << pasted.out;
  const auto json = json_of(run({"cycles", "IMAD", "--json", "--gpu", "h200", "--reports", committed_reports}).out);
  ASSERT_EQ(json.size(), 1U);
  EXPECT_GT(json[0].at("rows").size(), 20U);
}

TEST(CyclesOfAMeasuredGpu, SaysWhereWordsAreAnswered) {
  const auto said = [](const std::string& words) {
    const auto ran = run({"cycles", words, "--gpu", "h200", "--reports", testing::cut_reports});
    EXPECT_EQ(ran.exit_code, 2);
    return ran.err;
  };
  EXPECT_THAT(said("bank conflict"), HasSubstr("; if it is no instruction, probes about it: "));
  EXPECT_THAT(said("TLB"), HasSubstr("memory/tlb"));
  EXPECT_THAT(said("__syncthreads"), HasSubstr("`warpclock list --suite all` shows the probes"));
  EXPECT_THAT(said("L2 near far"), HasSubstr("if it is no instruction"));
  EXPECT_THAT(run({"cycles", "FADD", "--gpu", "h200", "--reports", testing::cut_reports}).out,
              StartsWith("FADD: no row (there is no row of 'FADD', and no near one"));
  EXPECT_THAT(said("fma.rn.f33 {d}, {a}, {b}, {c}"), Not(HasSubstr("if it is no instruction")));
}

TEST(CyclesOfAMeasuredGpu, NamesWhatIsWrong) {
  const auto model = run({"cycles", "fma.rn.f32", "--gpu", "4090", "--reports", testing::cut_reports});
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_THAT(model.err, HasSubstr("--gpu: there are no reports of '4090'"));
  const auto unknown =
      run({"cycles", "fma.rn.f32 {d}, {a}, {b}, {c}", "--gpu", "b200", "--reports", testing::cut_reports});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--gpu: there are no reports of 'b200'"));
  EXPECT_EQ(run({"cycles", "fma.rn.f32 {d}, {a}, {b}, {c}", "--gpu", "h200", "--arch", "sm_80"}).exit_code, 2);
}

}  // namespace
}  // namespace warpclock

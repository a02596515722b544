#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

CaseRecord copy_of(std::int64_t loads, std::vector<std::pair<std::string, int>> opcodes) {
  CaseRecord row{.id = "bandwidth/copy_mixed", .probe = "bandwidth/copy_mixed", .parameters = {{"loads", loads}}};
  row.window = {.verdict = std::string(verified_code), .opcodes = std::move(opcodes)};
  row.estimates.push_back({.name = "rate", .value = 60});
  return row;
}

TEST(Withdrawn, ARowLosesItsNumberIfItsWindowHasOtherLoadsThanItsProbeSays) {
  Record record;
  record.cases = {copy_of(3, {{"LDG.E.128.STRONG.GPU", 1}, {"LDGDEPBAR", 2}, {"STG.E.128", 1}}),
                  copy_of(3, {{"LDG.E.128.STRONG.GPU", 2}, {"LDG.E.64", 1}})};
  record.cases.push_back(record.cases[0]);
  record.cases.back().probe = "bandwidth/copy";
  const Record read = parse_record(to_json(record)).value();
  EXPECT_EQ(read.cases[0].outcome, Outcome::Rejected);
  EXPECT_EQ(read.cases[0].reason.text,
            "1 times LDG in the window instead of 3: ptxas had left out the loads of which nothing was used");
  EXPECT_TRUE(read.cases[0].estimates.empty());
  EXPECT_FALSE(read.cases[0].window.verified());
  EXPECT_EQ(read.cases[1], record.cases[1]);
  EXPECT_EQ(read.cases[2], record.cases[2]) << "another probe";
}

}  // namespace
}  // namespace warpclock

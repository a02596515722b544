#include "record/json/columns.hpp"

#include <gtest/gtest.h>

#include "record/testing/columns.hpp"

namespace warpclock {
namespace {

TEST(Columns, HaveAValueForEachObjectAndNestWhereAllValuesDo) {
  const Json rows = json_of(
      R"([{"id": "a", "cells": [{"n": 1}, {"n": 2, "note": "x"}], "clock": {"mhz": 5}}, {"id": "b", "cells": []},
          {"id": null, "mixed": [{"n": 1}]}, {"mixed": 3}])");
  EXPECT_EQ(columns_of(rows), json_of(R"({"counts": [4], "of": {
      "cells": {"counts": [2, 0, null, null], "of": {"n": [1, 2], "note": [null, "x"]}},
      "clock": {"counts": [1, null, null, null], "of": {"mhz": [5]}, "one": true},
      "id": ["a", "b", null, null],
      "mixed": [null, null, [{"n": 1}], 3]}})"));
}

TEST(Columns, GiveTheObjectsBackButForNulls) {
  Json rows = json_of(
      R"([{"a": [{"b": [{"c": [1, null]}, {}]}], "d": {"e": {"f": "g"}, "h": []}}, {},
          {"a": [], "d": {}, "i": false}])");
  EXPECT_EQ(testing::values_of(columns_of(rows))[0], rows);
  rows[1]["i"] = nullptr;
  EXPECT_NE(testing::values_of(columns_of(rows))[0], rows);
  EXPECT_EQ(testing::values_of(columns_of(Json::array()))[0], Json::array());
}

}  // namespace
}  // namespace warpclock

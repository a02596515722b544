#include "base/sheet/sheet.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

Sheet example() {
  Sheet sheet;
  sheet.title = "geometry/conflict";
  sheet.facts = {{"question", "", "What does it cost?", Audience::All},
                 {"count", "shown", {"2 of 18", 2}, Audience::All},
                 {"hash", "", "c0ffee", Audience::Programs},
                 {"hint", "", "or --json", Audience::People}};
  Table first{.key = "rows",
              .title = "load",
              .columns = {{.key = "at", .title = "lanes", .right = true},
                          {.key = "h200"},
                          {.key = "id", .audience = Audience::Programs}},
              .rows = {{{"1 KiB", 1024},
                        {"1.00 \xC2\xB1"
                         "0.02",
                         1.0},
                        "a,b"},
                       {{"2", 2}, "rejected"}},
              .notes = {"all warps"}};
  Table second = first;
  second.title = "store";
  second.rows = {{{"32", 32}, Cell::for_people("\xE2\x80\x93"), "say \"b\""}};
  second.notes.clear();
  second.headed = false;
  sheet.tables = {first, second};
  sheet.notes = {"measured 2026-11-23"};
  return sheet;
}

TEST(Sheet, AsText) {
  EXPECT_EQ(to_text(example(), Style(false)),
            "geometry/conflict\n"
            "  question  What does it cost?\n"
            "  shown     2 of 18\n"
            "  hint      or --json\n"
            "\n"
            "load\n"
            "  lanes  h200\n"
            "  1 KiB  1.00 \xC2\xB1"
            "0.02\n"
            "      2  rejected\n"
            "  all warps\n"
            "\n"
            "store\n"
            "     32  \xE2\x80\x93\n"
            "\n"
            "measured 2026-11-23\n");
  EXPECT_EQ(to_text({}, Style(false)), "");
}

TEST(Sheet, HasFactsOfSeveralLinesAndTablesForPeopleAlone) {
  Sheet sheet{.facts = {{"labels", "note", {"one\ntwo", Json::array({"one", "two"})}}, {"row", "", "r"}}};
  sheet.tables = {
      {.key = "said", .columns = {{.key = "form"}}, .rows = {{"FFMA"}}, .headed = false, .audience = Audience::People}};
  EXPECT_EQ(to_text(sheet, Style(false)),
            "  note  one\n"
            "        two\n"
            "  row   r\n"
            "\n"
            "  FFMA\n");
  EXPECT_EQ(compact(to_json(sheet)), R"({"labels":["one","two"],"row":"r"})");
  EXPECT_EQ(to_csv(sheet), "");
}

TEST(Sheet, HasCellsOfSeveralLinesAndColours) {
  Sheet sheet;
  sheet.tables = {
      {.key = "checks",
       .columns = {{.key = "state"}, {.key = "name"}, {.key = "found"}},
       .rows = {{Cell("warn").with(Tone::Doubtful), "counters", "refused\n-> run as root"}, {"ok", "\x1b[2J", ""}},
       .headed = false}};
  EXPECT_EQ(to_text(sheet, Style(false)),
            "  warn  counters  refused\n"
            "                  -> run as root\n"
            "  ok    \\x1b[2J\n");
  EXPECT_EQ(to_text(sheet, Style(true)).substr(0, 19), "\x1b[33m  warn\x1b[0m  co");
}

TEST(Sheet, HasColumnsInShort) {
  const auto all = columns({"id", "#at|address", "-hash", "+#change"});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].key + all[0].title, "id");
  EXPECT_TRUE(all[1].key == "at" && all[1].title == "address" && all[1].right);
  EXPECT_TRUE(all[2].key == "hash" && all[2].audience == Audience::Programs && !all[2].right);
  EXPECT_TRUE(all[3].key == "change" && all[3].audience == Audience::People && all[3].right);
}

TEST(Sheet, AsJson) {
  EXPECT_EQ(compact(to_json(example())),
            R"({"title":"geometry/conflict","question":"What does it cost?","count":2,"hash":"c0ffee","rows":)"
            R"([{"at":1024,"h200":1.0,"id":"a,b"},{"at":2,"h200":"rejected"},)"
            R"({"at":32,"id":"say \"b\""}],)"
            R"("notes":["measured 2026-11-23"]})");
  EXPECT_EQ(to_json({}), Json::object());
}

TEST(Sheet, AsCsv) {
  EXPECT_EQ(to_csv(example()), "at,h200,id\r\n1024,1.0,\"a,b\"\r\n2,rejected,\r\n32,,\"say \"\"b\"\"\"\r\n");
  Sheet two = example();
  two.tables.at(1).key = "more";
  EXPECT_EQ(to_csv(two),
            "at,h200,id\r\n1024,1.0,\"a,b\"\r\n2,rejected,\r\n\r\nat,h200,id\r\n32,,\"say \"\"b\"\"\"\r\n");
}

}  // namespace
}  // namespace warpclock

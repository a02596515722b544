#include "base/yaml/yaml.hpp"

#include <gtest/gtest.h>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using Scalar = std::variant<std::int64_t, std::string>;

/// The reader's error message when `read` reads the value of `key`.
template <class Read>
std::string complaint(const std::string& text, Read read) {
  const auto document = Document::parse("configs/t.yaml", text);
  if (!document) return document.error().message();
  read(*document->root().find("a"));
  return document->error() ? document->error()->message() : "none";
}

TEST(Yaml, ReadsEveryType) {
  const auto document = Document::parse("configs/t.yaml", "text: \"007\"\nnumber: -2.5e1\ninteger: 42\nyes: true\n");
  EXPECT_FALSE(document) << "'yes' as a key";
  const auto good =
      must(Document::parse("configs/t.yaml",
                           "text: \"007\"\nblock: |\n  one\n  two\nnumber: -2.5e1\ninteger: 42\nok: true\n"
                           "value: 16\nword: cg\nlist: [1, 2]\nmap: {x: 1, y: 2}\n"));
  const auto of = [&](const char* key) { return *good.root().find(key); };
  EXPECT_EQ(of("text").text(), "007");
  EXPECT_EQ(of("block").text(), "one\ntwo");
  EXPECT_EQ(of("number").number(), -25);
  EXPECT_EQ(of("integer").integer(0, 42), 42);
  EXPECT_TRUE(of("ok").boolean());
  EXPECT_EQ(of("value").value(), Scalar(16));
  EXPECT_EQ(of("word").value(), Scalar("cg"));
  EXPECT_EQ(of("word").word({"ca", "cg"}), "cg");
  EXPECT_EQ(of("list").items().size(), 2U);
  EXPECT_EQ(of("list").items_or_self().size(), 2U);
  EXPECT_EQ(of("word").items_or_self().size(), 1U);
  EXPECT_EQ(of("map").entries()[1].first, "y");
  EXPECT_EQ(of("map").entries()[1].second.path(), "map.y");
  EXPECT_FALSE(good.root().find("absent"));
  EXPECT_EQ(good.error(), std::nullopt);
}

TEST(Yaml, SaysWhereAndUnderWhichKeys) {
  const auto document =
      must(Document::parse("configs/cache.yaml", "probes:\n  - sweep:\n      where: [{cache: cgg}]\n"));
  const Node probe = document.root().find("probes")->items().front().rebased();
  const Node cache = probe.find("sweep")->find("where")->items()[0].entries()[0].second;
  EXPECT_EQ(cache.path(), "sweep.where[0].cache");
  EXPECT_EQ(cache.word({"ca", "cg"}), "cgg");
  ASSERT_TRUE(document.error());
  EXPECT_EQ(document.error()->message(),
            "configs/cache.yaml:3:23: sweep.where[0].cache: unknown value 'cgg' (did you mean 'cg'?)");
}

TEST(Yaml, KeepsTheFirstErrorAndReadsOn) {
  const auto document = must(Document::parse("t.yaml", "a: x\nb: y\n"));
  EXPECT_EQ(document.root().find("a")->integer(3, 9), 3) << "within the range, whatever is there";
  EXPECT_FALSE(document.root().find("b")->boolean());
  EXPECT_EQ(document.error()->message(), "t.yaml:1:4: a: expected an integer (plain decimal), not 'x'");
}

TEST(Yaml, RefusesTheWrongType) {
  const auto text = [](const Node& node) { (void)node.text(); };
  const auto integer = [](const Node& node) { (void)node.integer(0, 10); };
  const auto boolean = [](const Node& node) { (void)node.boolean(); };
  const auto items = [](const Node& node) { (void)node.items(); };
  EXPECT_EQ(complaint("a: 1\n", text), "configs/t.yaml:1:4: a: expected text (quote it), not '1'");
  EXPECT_EQ(complaint("a:\nb: 1\n", text), "configs/t.yaml:1:1: a: expected text, not nothing");
  EXPECT_EQ(complaint("a: \"x\\ty\"\n", text),
            "configs/t.yaml:1:4: a: the text holds a character that cannot be shown");
  EXPECT_EQ(complaint("a: \"5\"\n", integer),
            "configs/t.yaml:1:4: a: expected an integer (plain decimal), not the text '5'");
  EXPECT_EQ(complaint("a: 11\n", integer), "configs/t.yaml:1:4: a: 11 is out of range (0 to 10)");
  EXPECT_EQ(complaint("a: \"true\"\n", boolean), "configs/t.yaml:1:4: a: expected true or false, not the text 'true'");
  EXPECT_EQ(complaint("a: []\n", items), "configs/t.yaml:1:4: a: the list is empty");
  EXPECT_EQ(complaint("a: {}\n", items), "configs/t.yaml:1:4: a: expected a list, not a map");
}

TEST(Yaml, ErrorsStayOneShortLine) {
  const auto entries = [](const Node& node) { node.entries()[0].second.reject("why"); };
  EXPECT_EQ(complaint("a: {\"x\\n\\x1b[31m\": 1}\n", entries), "configs/t.yaml:1:20: a.x??[31m: why");
  std::string accents;
  for (int i = 0; i < 60; ++i) accents += "\xc3\xa9";
  const std::string long_key = complaint("a: {x" + accents + ": 1}\n", entries);
  EXPECT_NE(long_key.find("\xc3\xa9...: why"), std::string::npos) << "cut between characters: " << long_key;
}

}  // namespace
}  // namespace warpclock

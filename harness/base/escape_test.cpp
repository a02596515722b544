#include "base/escape.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warpclock {
namespace {

TEST(Escape, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(escape("shfl.sync 23.5 cycles \xC2\xB1 0.1\n\t\xE4\xB8\xAD \xF0\x9F\x98\x80"),
            "shfl.sync 23.5 cycles \xC2\xB1 0.1\n\t\xE4\xB8\xAD \xF0\x9F\x98\x80");
}

TEST(Escape, ReplacesTheFiveSpecialCharacters) {
  EXPECT_EQ(escape("<script a=\"b\" c='d'>&amp;"), "&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;amp;");
}

TEST(Escape, ShowsControlCharacters) {
  EXPECT_EQ(escape(std::string("a\0b\x1b[31m\r\x7f", 10)),
            "a\xE2\x90\x80"
            "b\xE2\x90\x9B[31m\xE2\x90\x8D\xE2\x90\xA1");
  EXPECT_EQ(escape("\xC2\x85"), "\xEF\xBF\xBD");
}

TEST(Escape, ReplacesWhatIsNotUtf8) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape("\xFF"), bad);
  EXPECT_EQ(escape("\xC0\xBC"), bad + bad) << "an overlong <";
  EXPECT_EQ(escape("\xE2\x82"), bad + bad) << "cut short";
  EXPECT_EQ(escape("\xED\xA0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(escape("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "past U+10FFFF";
  EXPECT_EQ(escape("\xEF\xBF\xBF"), bad) << "no character";
  EXPECT_EQ(escape("\xE2<"), bad + "&lt;") << "a lead byte must not swallow what follows";
}

TEST(Escape, DoesNotLetTextReorderItsSurroundings) {
  EXPECT_EQ(escape("a\xE2\x80\xAE"
                   "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(AsciiMarkup, HasAReferenceForEveryCharacterPastAscii) {
  EXPECT_EQ(ascii_markup("<i title=\"a\">\xC3\x97 2 &amp; \xE2\x80\x93\n\xF0\x9F\x98\x80</i>"),
            "<i title=\"a\">&#xd7; 2 &amp; &#x2013;\n&#x1f600;</i>");
  EXPECT_EQ(ascii_markup("a\xFF<"), "a&#xfffd;<");
}

TEST(Printable, HasNoControlBytes) {
  EXPECT_EQ(printable("a\n\tb \xE4\xB8\xAD"), "a\n\tb \xE4\xB8\xAD");
  EXPECT_EQ(printable(std::string("\x1b[31m\0\r\x7f", 8)), "\\x1b[31m\\x00\\x0d\\x7f");
  EXPECT_EQ(printable("\xFF\xC2\x9B\xE2\x80\xAE"), "\\xff\\xc2\\x9b\\xe2\\x80\\xae");
}

TEST(Printable, IsShort) {
  EXPECT_EQ(printable(std::string(5000, 'a')).size(), 2003U);
  EXPECT_EQ(printable("\xE4\xB8\xAD\xE4\xB8\xAD", 5), "\xE4\xB8\xAD...") << "no part of a character";
}

TEST(OneLine, IsOneShortLine) {
  EXPECT_EQ(one_line("add.s32\n\t%r1;\r\n"), "add.s32  %r1;  ");
  EXPECT_EQ(one_line(std::string(1000000, 'a')), std::string(120, 'a') + "...");
  EXPECT_EQ(one_line("\xE4\xB8\xAD\xE4\xB8\xAD", 4), "\xE4\xB8\xAD...");
}

TEST(Anchor, KeepsOrdinaryIds) {
  EXPECT_EQ(anchor("async_copy/latency[bytes=16,cache=L2::evict_last]"),
            "async_copy/latency[bytes=16,cache=L2::evict_last]");
}

TEST(Anchor, IsALegalIdForAnythingAndNoTwoIdsShareIt) {
  std::set<std::string> anchors;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string id = anchor(std::string("a") + static_cast<char>(byte));
    EXPECT_EQ(id.find_first_of(" \t\n\r\f\"'<>&#%"), std::string::npos) << byte;
    anchors.insert(id);
  }
  for (const char* id : {"a~20", "a 0", "a20", ""}) anchors.insert(anchor(id));
  EXPECT_EQ(anchors.size(), 260u);
}

}  // namespace
}  // namespace warpclock

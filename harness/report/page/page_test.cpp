#include "report/page/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "report/page/testing/packed.hpp"

namespace warpclock {
namespace {

TEST(CspHash, AgreesWithThePublishedVectors) {
  // FIPS 180-4's examples, in base64.
  EXPECT_EQ(csp_hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(csp_hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(csp_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "sha256-JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
  EXPECT_EQ(csp_hash(std::string(1000000, 'a')), "sha256-zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
}

TEST(Packed, IsLettersThatNeedNoEscapingAndUnpacksToTheText) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 300; ++i) {
    const std::string letters = packed(text);
    EXPECT_TRUE(std::ranges::all_of(letters, [](char each) { return each > ' ' && each <= '~'; }));
    EXPECT_EQ(letters.find_first_of("&<>"), letters.npos);
    EXPECT_EQ(testing::unpacked(letters), text);
    for (int more = 0; more <= i / 4; ++more) text += static_cast<char>(random());
  }
}

TEST(Page, CarriesItsProgramAndAPolicyThatAllowsNothingElse) {
  Page page{.kind = "suite", .title = "<b>&\"", .lead = "</p>", .placeholder = "\">", .data = "a\"b"};
  page.place.links = {{"<i>", "\" onclick=\"", "", false}};
  page.place.all = "javascript:", page.place.gpu_name = "</nav>", page.place.gpu = "x";
  const std::string text = render_page(page), program = page_script("suite");
  EXPECT_EQ(render_page(page), text);
  EXPECT_THAT(text, AllOf(HasSubstr("content=\"default-src &#39;none&#39;"), HasSubstr(csp_hash(program)),
                          HasSubstr("<h1>&lt;b&gt;&amp;&quot;</h1>"), HasSubstr("&lt;/p&gt;"), Not(HasSubstr("<i>")),
                          Not(HasSubstr("\" onclick")), Not(HasSubstr("a\"b")), Not(HasSubstr("</nav></a>"))));
  EXPECT_THAT(text, HasSubstr("; <a href=\"a&quot;b\">a&quot;b</a> has the data.</p></noscript>"));
  page.place.gpu = "../index.html";
  EXPECT_THAT(render_page(page), HasSubstr("<a href=\"../README.md\">../README.md</a> is a summary;"));
  EXPECT_EQ(testing::unpacked(std::string_view(text).substr(text.find("id=\"program\">") + 13)), program);
}

TEST(Page, AssetsMakeNoRequestAndNoMarkupOfData) {
  for (const auto& [name, asset] : embedded_assets()) {
    if (!name.ends_with(".js") && !name.ends_with(".css")) continue;
    const std::string text = replace_all(asset, "http://www.w3.org/2000/svg", "");
    EXPECT_THAT(text, AllOf(Not(HasSubstr("</")), Not(HasSubstr("://")), Not(HasSubstr("@import")),
                            Not(HasSubstr("url(")), Not(HasSubstr("insertAdjacentHTML"))))
        << name;
  }
  EXPECT_THAT(page_script("suite"), AllOf(Not(HasSubstr("innerHTML")), Not(HasSubstr("eval("))));
}

TEST(Page, RowsAreColumns) {
  const Json record = in_columns({{"rows", json_of(R"([{"a": 1}, {"b": "x"}])")}, {"n", 3}, {"none", Json::array()}});
  EXPECT_EQ(testing::values_of(record["rows"])[0], json_of(R"([{"a": 1}, {"b": "x"}])"));
  EXPECT_EQ(record["n"], 3);
}

}  // namespace
}  // namespace warpclock

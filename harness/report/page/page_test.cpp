#include "report/page/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/record.hpp"
#include "report/page/testing/packed.hpp"

namespace warpclock {
namespace {

DeviceFacts board(const std::string& uuid) {
  DeviceFacts device;
  device.uuid = uuid;
  return device;
}

std::vector<std::string> targets(const PagePlace& place) {
  std::vector<std::string> out;
  for (const PageLink& link : place.links) {
    if (!link.here) out.push_back(link.href);
  }
  return out;
}

TEST(PagePlace, EachPageLeadsToAllOthersOfItsGpu) {
  const GpuFolder gpu{{RecordFile::Result, {{"", board("GPU-1")}, {"memory", board("GPU-2")}, {"peer", board("")}}},
                      {RecordFile::Instructions, {{"", board("GPU-1")}}}};
  const PagePlace own = place_of(gpu, RecordFile::Result, ""), memory = place_of(gpu, RecordFile::Result, "memory");
  EXPECT_EQ(own.suite, "full");
  EXPECT_EQ(memory.suite, "memory");
  EXPECT_THAT(targets(own), ElementsAre("memory/report.html", "peer/report.html", "instructions.html"));
  EXPECT_THAT(targets(memory), ElementsAre("../report.html", "../peer/report.html", "../instructions.html"));
  EXPECT_THAT(targets(place_of(gpu, RecordFile::Instructions, "")),
              ElementsAre("report.html", "memory/report.html", "peer/report.html"));
  GpuFolder more = gpu;
  more[RecordFile::Machine] = {{"", board("GPU-1")}};
  EXPECT_THAT(targets(place_of(more, RecordFile::Machine, "")),
              ElementsAre("report.html", "memory/report.html", "peer/report.html", "instructions.html"));
  EXPECT_THAT(targets(place_of(more, RecordFile::Result, "memory")),
              ElementsAre("../report.html", "../peer/report.html", "../instructions.html", "../machine.html"));
  EXPECT_EQ(place_of(more, RecordFile::Instructions, "").links.back().text, "machine instructions");
  EXPECT_EQ(pages_in_words(own), "memory (another GPU), peer (GPU not recorded), instructions (the same GPU)");
}

TEST(PagePlace, PagesSayTheirSuiteTheirBoardAndTheirNeighbours) {
  Record record = testing::example_record();
  record.device.uuid = "GPU-5f", record.device.pci = "0000:1B:00.0", record.device.vbios = "96.00";
  record.device.board = "692-2G520", record.device.persistence = "on", record.device.power_limit_w = 700;
  const PagePlace place{.suite = "memory", .links = {{"full", "../report.html", "another GPU"}}};
  const std::string page = render_record(record, place);
  EXPECT_THAT(
      page, AllOf(HasSubstr("<h1>NVIDIA H200, memory</h1>"), HasSubstr("NVIDIA H200, memory &#xb7; warpclock</title>"),
                  HasSubstr("href=\"../report.html\"")));
  EXPECT_THAT(testing::packed_data_of(page, "extras").dump(),
              AllOf(HasSubstr("full (another GPU)"), HasSubstr("GPU-5f, PCI 0000:1B:00.0, part 692-2G520, VBIOS 96.00"),
                    HasSubstr("persistence on, power limit 700 W")));
  EXPECT_EQ(parse_record(to_json(record))->device, record.device);
}

TEST(PagePlace, TheBarIsTheSameOnAllPagesOfAGpu) {
  const GpuFolder gpu{{RecordFile::Result, {{"", board("GPU-1")}, {"memory", board("GPU-1")}}},
                      {RecordFile::Instructions, {{"", board("GPU-1")}}}};
  for (PagePlace place : {place_of(gpu, RecordFile::Result, ""), place_of(gpu, RecordFile::Result, "memory"),
                          place_of(gpu, RecordFile::Instructions, ""), place_of_overview(gpu, "NVIDIA H200")}) {
    const auto texts = mapped(place.links, &PageLink::text);
    EXPECT_THAT(texts, ElementsAre("full", "memory", "instructions"));
  }
  PagePlace place = place_of(gpu, RecordFile::Result, "memory");
  place.gpu = "../index.html", place.all = "../../index.html", place.gpu_name = "NVIDIA <H200>";
  EXPECT_THAT(site_bar(place, "Search"),
              AllOf(HasSubstr("<a class=\"up\" href=\"../../index.html\">all GPUs</a>"),
                    HasSubstr("<a class=\"up\" href=\"../index.html\">NVIDIA &lt;H200&gt;</a>"),
                    HasSubstr("<a href=\"../report.html\">full</a>"),
                    HasSubstr("<a href=\"report.html\" aria-current=\"page\">memory</a>")));
}

TEST(PagePlace, OfWhatIsNotKnownNothingIsSaid) {
  EXPECT_EQ(board_in_words({}), "");
  EXPECT_EQ(clocks_in_words({}), "");
  EXPECT_EQ(pages_in_words({}), "");
}

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
  const std::string parts = embedded_assets().at("parts.css");
  EXPECT_THAT(text, AllOf(HasSubstr(csp_hash(parts)), HasSubstr(packed(parts)), Not(HasSubstr(".timeline"))));
}

TEST(Page, AssetsMakeNoRequestAndNoMarkupOfData) {
  for (const auto& [name, asset] : embedded_assets()) {
    if (!name.ends_with(".js") && !name.ends_with(".css")) continue;
    const std::string text = replace_all(asset, "http://www.w3.org/2000/svg", "");
    EXPECT_THAT(text, AllOf(Not(HasSubstr("</")), Not(HasSubstr("://")), Not(HasSubstr("@import")),
                            Not(HasSubstr("url(")), Not(HasSubstr("insertAdjacentHTML"))))
        << name;
  }
  EXPECT_THAT(page_script("suite"),
              AllOf(Not(HasSubstr("innerHTML")), Not(HasSubstr("eval(")), Not(HasSubstr("\n//"))));
}

TEST(Page, RowsAreColumns) {
  const Json record = in_columns({{"rows", json_of(R"([{"a": 1}, {"b": "x"}])")}, {"n", 3}, {"none", Json::array()}});
  EXPECT_EQ(testing::values_of(record["rows"])[0], json_of(R"([{"a": 1}, {"b": "x"}])"));
  EXPECT_EQ(record["n"], 3);
}

}  // namespace
}  // namespace warpclock

#include "report/page/page_place.hpp"

#include <gtest/gtest.h>

#include "answer/numbers/device_words.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "record/json/record_json.hpp"
#include "record/testing/record.hpp"
#include "report/page/page.hpp"
#include "report/page/pages.hpp"
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
  const std::string page = render_suite(record, place);
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

}  // namespace
}  // namespace warpclock

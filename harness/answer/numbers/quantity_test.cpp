#include "answer/numbers/quantity.hpp"

#include <gtest/gtest.h>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "plan/config/suite.hpp"

namespace warpclock {
namespace {

Expected<Quantities> with_place(const std::string& place) {
  return parse_quantities("q.yaml", "quantities:\n  - quantity: a.b\n    says: a thing\n    from: " + place + "\n");
}

TEST(Quantities, OfTheProgramNameProbesAndNumbersThatItHas) {
  const Expected<Quantities>& known = known_quantities();
  ASSERT_TRUE(known) << known.error().message();
  const auto suite = must(load_suite(embedded_configs()));
  for (const auto& [name, quantity] : *known) {
    for (const Selector& place : quantity.from) {
      if (place.kind == Selector::Kind::Device) continue;
      const auto is_it = [&](const Probe& probe) { return probe.family + "/" + probe.name == place.probe; };
      const auto probe = std::ranges::find_if(suite.probes, is_it);
      ASSERT_NE(probe, suite.probes.end()) << name << ": " << place.probe;
      if (place.kind != Selector::Kind::Cases) continue;
      const auto measured =
          std::ranges::any_of(probe->measures, [&](const MeasureSpec& measure) { return measure.name == place.name; });
      EXPECT_TRUE(measured) << name << ": " << place.name;
    }
  }
}

TEST(Quantities, ReadEveryKindOfPlace) {
  const auto cases =
      with_place("{probe: m/p, cases: rate, with: {share: own, size: [0, l2]}, counters: {hits: [99, 101]}}");
  ASSERT_TRUE(cases) << cases.error().message();
  const Selector& place = cases->at("a.b").from.front();
  EXPECT_EQ(place.kind, Selector::Kind::Cases);
  EXPECT_EQ(place.with.front().equals, Value(std::string("own")));
  EXPECT_TRUE(place.with.back().high.l2);
  EXPECT_EQ(place.counters.at("hits"), std::pair(99.0, 101.0));
  EXPECT_TRUE(with_place("[{device: l2_bytes}, {probe: m/p, feature: rate, part: beyond, take: highest}]"));
}

TEST(Quantities, SayWhereTheyAreMalformed) {
  const auto refused = [](const std::string& place, const std::string& at, const std::string& why) {
    const auto read = with_place(place);
    ASSERT_FALSE(read) << place;
    EXPECT_EQ(read.error().place, at) << place;
    EXPECT_THAT(read.error().text, HasSubstr(why)) << place;
  };
  refused("{probe: m/p}", "q.yaml:4:11", "says one of 'cases', 'half', 'feature', 'device'");
  refused("{probe: m/p, cases: rate, feature: rate}", "q.yaml:4:46", "exclude each other");
  refused("{cases: rate}", "q.yaml:4:11", "probe");
  refused("{probe: m/p, line: rate, over: bytes}", "q.yaml:4:24", "line");
  refused("{device: l3_bytes}", "q.yaml:4:20", "l3_bytes");
  refused("{probe: m/p, device: l2_bytes}", "q.yaml:4:19", "a device has no probe");
  refused("{probe: m/p, cases: rate, where: L1}", "q.yaml:4:44", "only for features");
  refused("{probe: m/p, feature: rate, end: footprint}", "q.yaml:4:44", "only for cases");
  refused("{probe: m/p, feature: rate, where: L3}", "q.yaml:4:46", "L3");
  refused("{probe: m/p, cases: rate, with: {size: [1]}}", "q.yaml:4:50", "[low, high]");
  refused("{probe: m/p, cases: rate, with: {size: [1, l3]}}", "q.yaml:4:54", "l3");
  refused("{probe: m/p, cases: rate, counters: {hits: [1, 2, 3]}}", "q.yaml:4:54", "[low, high]");
  refused("{probe: m/p, cases: rate, take: median}", "q.yaml:4:43", "median");
  refused("{probe: m/p, cases: rate, off: 1}", "q.yaml:4:37", "off");
  EXPECT_THAT(failure_of(parse_quantities("q.yaml",
                                          "quantities:\n  - {quantity: a, says: x, from: {device: l2_bytes}}\n"
                                          "  - {quantity: a, says: x, from: {device: l2_bytes}}\n"))
                  .message(),
              HasSubstr("q.yaml:3:16"));
}

}  // namespace
}  // namespace warpclock

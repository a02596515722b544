#include <algorithm>

#include "code/elf.hpp"
#include "code/word.hpp"
#include "inspect/hazards/hazards.hpp"
#include "verify/chain.hpp"

namespace warpclock {
namespace {

Expected<void> lower(WithoutSlack& out, const Listing& listing, const SlackPlace& place) {
  const auto sections = WARPCLOCK_TRY(code_sections(out.image));
  const auto section = std::ranges::find(sections, listing.kernel, &CodeSection::kernel);
  const Instruction& instruction = listing.instructions[place.before];
  const Word word{instruction.low, instruction.high};
  Control control = instruction.control;
  control.stall = issue_distance(control) - place.slack;
  std::string before, after;
  append_word(before, word);
  append_word(after, with_control(word, control));
  if (section == sections.end() || !section->code.substr(instruction.address).starts_with(before))
    return fail("elf", "the machine code is not where it was listed", listing.kernel);
  const auto code = static_cast<std::size_t>(section->code.data() - out.image.data());
  out.image.replace(code + instruction.address, word_bytes, after);
  ++out.lowered;
  out.cycles += place.slack;
  return {};
}

}  // namespace

Expected<WithoutSlack> without_slack(const LoadedFile& file, const HazardReport& report) {
  if (file.images.size() != 1)
    return fail("kernel", "the kernels are in several cubins: give one with --kernel NAME", report.file);
  WithoutSlack out{.image = file.images.front()};
  for (const KernelHazards& kernel : report.kernels) {
    const auto loaded = std::ranges::find(
        file.kernels, kernel.name, [](const LoadedKernel& each) -> auto& { return each.listing.kernel; });
    if (kernel.calls || loaded == file.kernels.end()) continue;
    for (const LoopSlack& loop : kernel.slack)
      for (const SlackPlace& place : loop.places) WARPCLOCK_TRY(lower(out, loaded->listing, place));
  }
  return out;
}

}  // namespace warpclock

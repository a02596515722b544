#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "check/study.hpp"
#include "compile/sources.hpp"
#include "plan/sweep.hpp"
#include "predict/memory/memory_level.hpp"

namespace warpclock {
namespace {

/// An integer is its value; a word is a string, and a second macro NAME_word is 1, as in probes.
std::vector<std::string> defines_of(const Parameters& parameters) {
  std::vector<std::string> macros;
  for (const auto& [name, value] : parameters) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      macros.push_back(fmt::format("{}={}", to_upper(name), *number));
    } else {
      macros.push_back(fmt::format("{}=\"{}\"", to_upper(name), to_string(value)));
      macros.push_back(word_macro(name, to_string(value)) + "=1");
    }
  }
  return macros;
}

/// The word, or the value of the parameter with that name.
std::string resolved(const std::string& word, const Parameters& parameters) {
  const Value* value = find(parameters, word);
  return value == nullptr ? word : to_string(*value);
}

class Resolver {
 public:
  Resolver(const KernelStudy& study, const Parameters& point, std::int64_t sms) : study_(study), point_(point) {
    values_ = point;
    values_.emplace_back("sms", sms);
  }

  Expected<KernelCase> make() {
    KernelCase made;
    made.id = id_of(study_.name, point_);
    made.study = study_.name, made.says = study_.says, made.place = study_.place, made.source = study_.source;
    made.kernel = WARPCLOCK_TRY(substitute(study_.kernel, point_));
    made.parameters = point_;
    made.defines = defines_of(point_);
    made.held_out = study_.held_out;
    WARPCLOCK_TRY(launch(made.call));
    for (const ArgumentSpec& spec : study_.arguments) {
      const auto argument = WARPCLOCK_TRY(argument_of(spec));
      made.call.arguments.push_back(argument);
    }
    if (study_.library) WARPCLOCK_TRY(compare_with(*study_.library, made.call));
    for (const auto& [loop, trips] : study_.trips) {
      const auto count = WARPCLOCK_TRY(trips.evaluate(values_));
      made.trips.emplace(loop, count);
    }
    if (!study_.hit.empty())
      made.level = level_of(resolved(study_.hit, point_)).value_or(MemoryLevel::L2);
    else if (made.call.cold)
      made.level = MemoryLevel::Dram;
    for (const auto& [address, level] : study_.hits)
      made.hits.emplace(address, level_of(resolved(level, point_)).value_or(MemoryLevel::L2));
    return made;
  }

 private:
  Expected<void> launch(Call& call) {
    for (std::size_t i = 0; i < study_.grid.size(); ++i) {
      call.grid[i] = WARPCLOCK_TRY(study_.grid[i].evaluate(values_));
      call.block[i] = WARPCLOCK_TRY(study_.block[i].evaluate(values_));
    }
    // An empty product is 1 elsewhere, and no shared memory here.
    if (!study_.shared_bytes.factors.empty()) call.shared_bytes = WARPCLOCK_TRY(study_.shared_bytes.evaluate(values_));
    call.cold = resolved(study_.l2, point_) == "cold";
    call.launches = study_.launches;
    return {};
  }

  Expected<void> compare_with(const std::array<Product, 3>& library, Call& call) {
    LibraryGemm& size = call.library;
    size.m = WARPCLOCK_TRY(library[0].evaluate(values_));
    size.n = WARPCLOCK_TRY(library[1].evaluate(values_));
    size.k = WARPCLOCK_TRY(library[2].evaluate(values_));
    const std::array<CallArgument, 3> matrices = {{{size.m * size.k * bytes_of(CallType::F16), CallType::F16},
                                                   {size.n * size.k * bytes_of(CallType::F16), CallType::F16},
                                                   {size.m * size.n * bytes_of(CallType::F32), CallType::F32}}};
    for (const CallArgument& matrix : matrices) {
      const bool known = std::ranges::any_of(call.arguments, [&](const CallArgument& argument) {
        return argument.bytes == matrix.bytes && argument.type == matrix.type;
      });
      if (!known)
        return fail("config", fmt::format("library: {} x {} x {} needs a buffer of {} {}, and the kernel has none",
                                          size.m, size.n, size.k, matrix.bytes / bytes_of(matrix.type),
                                          call_type_names()[static_cast<std::size_t>(matrix.type)]));
    }
    return {};
  }

  Expected<CallArgument> argument_of(const ArgumentSpec& spec) {
    CallArgument argument{.type = spec.type, .value = spec.value};
    if (!spec.number.factors.empty()) {
      const auto number = WARPCLOCK_TRY(spec.number.evaluate(values_));
      if (spec.buffer)
        argument.bytes = number * bytes_of(spec.type);
      else
        argument.value = static_cast<double>(number);
    }
    const std::string fill = resolved(spec.fill, point_);
    for (std::size_t i = 0; i < call_fill_names().size(); ++i) {
      if (call_fill_names()[i] == fill) argument.fill = static_cast<CallFill>(i);
    }
    return argument;
  }

  const KernelStudy& study_;
  const Parameters& point_;
  Parameters values_;
};

}  // namespace

Expected<std::vector<KernelCase>> kernel_cases(const std::vector<KernelStudy>& studies, std::int64_t sms) {
  std::vector<KernelCase> cases;
  for (const KernelStudy& study : studies) {
    const auto points = WARPCLOCK_TRY(expand(study.sweep));
    for (const Parameters& point : points) {
      auto made = Resolver(study, point, sms).make();
      if (!made) {
        made.error().place = study.place;
        return std::unexpected(made.error());
      }
      cases.push_back(*std::move(made));
    }
  }
  return cases;
}

}  // namespace warpclock

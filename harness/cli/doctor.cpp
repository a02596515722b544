#include "cli/doctor.hpp"

#include <fmt/format.h>

#include "base/terminal.hpp"

namespace warpclock {

int doctor(const DoctorOptions& options) {
  const Diagnosis diagnosis = diagnose(look_at_machine(options));
  fmt::print("{}", options.json ? to_json(diagnosis) : to_text(diagnosis, Style(Stream::Out)));
  return diagnosis.measures() ? 0 : 1;
}

}  // namespace warpclock

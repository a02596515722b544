# Writes OUTPUT: every file named in LIST as a raw string literal, keyed by its path below probes/, configs/,
# harness/answer/assets/, harness/report/assets/ or harness/fields/forms/.
file(READ "${LIST}" files)
string(STRIP "${files}" files)

set(probes "")
set(configs "")
set(assets "")
set(forms "")
foreach(file IN LISTS files)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE name)
  if(NOT name MATCHES "^(probes|configs|harness/answer/assets|harness/report/assets|harness/fields/forms)/(.+)$")
    message(FATAL_ERROR "${name}: not below probes/, configs/, assets/ of answer or report, or harness/fields/forms/")
  endif()
  set(key "${CMAKE_MATCH_2}")
  cmake_path(GET CMAKE_MATCH_1 FILENAME top)
  file(READ "${file}" text)
  string(FIND "${text}" ")~embedded~\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${name}: holds the delimiter of the embedded literal, )~embedded~\"")
  endif()
  string(APPEND ${top} "    {R\"~embedded~(${key})~embedded~\", R\"~embedded~(${text})~embedded~\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include \"base/files/embedded.hpp\"

namespace warpclock {

std::map<std::string, std::string> embedded_probes() {
  return {
${probes}  };
}

std::map<std::string, std::string> embedded_configs() {
  return {
${configs}  };
}

std::map<std::string, std::string> embedded_assets() {
  return {
${assets}  };
}

std::map<std::string, std::string> embedded_forms() {
  return {
${forms}  };
}

}  // namespace warpclock
")

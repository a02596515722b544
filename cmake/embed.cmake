# Writes OUTPUT: every file named in LIST as a raw string literal, keyed by its path below probes/ or configs/.
file(READ "${LIST}" files)
string(STRIP "${files}" files)

set(probes "")
set(configs "")
foreach(file IN LISTS files)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE name)
  if(NOT name MATCHES "^(probes|configs)/(.+)$")
    message(FATAL_ERROR "${name}: neither below probes/ nor configs/")
  endif()
  set(top "${CMAKE_MATCH_1}")
  set(key "${CMAKE_MATCH_2}")
  file(READ "${file}" text)
  string(FIND "${text}" ")~embedded~\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${name}: holds the delimiter of the embedded literal, )~embedded~\"")
  endif()
  string(APPEND ${top} "    {R\"~embedded~(${key})~embedded~\", R\"~embedded~(${text})~embedded~\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include \"base/embedded.hpp\"

namespace warpclock {

std::map<std::string, std::string> embedded_probes() {
  return {
${probes}  };
}

std::map<std::string, std::string> embedded_configs() {
  return {
${configs}  };
}

}  // namespace warpclock
")

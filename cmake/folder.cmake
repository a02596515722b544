include(GoogleTest)

function(warpclock_unit target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WARPCLOCK_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

# The headers that most sources read are compiled once, with the first folder of each optimisation and with the first test
# program; not where each source is compiled by itself and has to name all it uses, and not for ccache, which keeps no unit
# that reads such headers. All that read them have one optimisation: with another, GCC warns of values that are not
# initialised and are. A header with much to instantiate in each unit, as that of JSON, gains nothing here.
function(warpclock_headers target first)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT WARPCLOCK_UNITY OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <chrono> <filesystem> <functional> <map> <memory>
                                                <optional> <set> <string> <vector> <fmt/format.h> ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# Cases of a test program as one test of ctest. They share what they load: a case that starts alone reads the same
# records as hundreds of others. Their results are in tests/<test>.xml.
function(warpclock_cases program test filter)
  add_test(NAME ${test}
           COMMAND ${program} --gtest_filter=${filter} "--gtest_output=xml:${CMAKE_CURRENT_BINARY_DIR}/tests/${test}.xml")
  set_tests_properties(${test} PROPERTIES LABELS unit TIMEOUT 3600)
  # ctest starts what takes longest first, so that no core is idle at the end.
  if(test MATCHES "^(cli|predict)_|chromium")
    set_tests_properties(${test} PROPERTIES COST 120)
  elseif(test MATCHES "^(compile|compose|fields|measure|prove)_")
    set_tests_properties(${test} PROPERTIES COST 30)
  endif()
endfunction()

# The same as several tests, each of every so many-th case, where one would still run when all others have ended.
function(warpclock_parts program count filter)
  math(EXPR last "${count} - 1")
  foreach(part RANGE ${last})
    warpclock_cases(${program} ${program}_${part} ${filter})
    set_property(TEST ${program}_${part} PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=${count} GTEST_SHARD_INDEX=${part})
  endforeach()
endfunction()

# A test program, which knows the finished program as WARPCLOCK_PROGRAM. Of tests that take minutes or need a GPU, ctest
# lists each case.
function(warpclock_tests name library label)
  add_executable(${name} ${ARGN})
  warpclock_unit(${name})
  warpclock_headers(${name} base_test <gmock/gmock.h> <gtest/gtest.h>)
  # Tests that can compile start their own program as the compiler (harness/compile/compiler/compiler.hpp).
  if(TARGET warpclock_compile)
    if(NOT TARGET warpclock_test_main)
      add_library(warpclock_test_main STATIC harness/compile/testing/test_main.cpp)
      target_link_libraries(warpclock_test_main PUBLIC warpclock_compile GTest::gmock)
    endif()
    set(main warpclock_test_main)
  else()
    set(main GTest::gtest_main)
  endif()
  target_link_libraries(${name} PRIVATE ${library} warpclock_sanitizers GTest::gmock ${main})
  target_compile_definitions(${name} PRIVATE WARPCLOCK_PROGRAM="${CMAKE_CURRENT_BINARY_DIR}/warpclock")
  # Expectations are most of the code here and run once.
  target_compile_options(${name} PRIVATE -O0)
  # The linker keeps the first of equal instances of a template: the optimised one of a folder, if its objects come first.
  # With those of the tests, reading a record takes three times as long.
  if(WARPCLOCK_UNITY)
    get_property(folders GLOBAL PROPERTY warpclock_folders)
    foreach(folder IN LISTS folders)
      target_link_options(${name} PRIVATE $<FILTER:$<TARGET_OBJECTS:${folder}>,EXCLUDE,[.]gch$>)
    endforeach()
  endif()
  # For its link to wait for, not its compilation: the program is the last to be finished.
  if(name MATCHES "^(gpu|measure|capture|cli)_")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/warpclock")
  endif()
  if(label STREQUAL "unit")
    if(name STREQUAL "cli_test")
      warpclock_parts(${name} 4 "*")
    else()
      warpclock_cases(${name} ${name} "-*InChromium.*")
    endif()
    if(name STREQUAL "report_test")
      warpclock_cases(${name} report_test_in_chromium "*InChromium.*")
    endif()
  else()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX "${name}: "
                         PROPERTIES LABELS ${label} TIMEOUT 1500)
  endif()
endfunction()

# harness/<name> with its subfolders: a library of its sources, a test program <name>_test of its *_test.cpp,
# <name>_gpu_test of its *_gpu_test.cpp and testing/*.cpp (ctest label gpu), and <name>_windows_test of its
# *_windows_test.cpp, which take minutes (label windows). A main.cpp becomes the program, a *_fuzz.cpp is
# cmake/fuzz.cmake's, injection/ is cmake/capture_library.cmake's.
function(warpclock_folder name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/harness/${name}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(main_file ${sources})
  set(gpu_tests ${sources})
  set(windows_tests ${sources})
  set(tests ${sources})
  list(FILTER main_file INCLUDE REGEX "/main\\.cpp$")
  list(FILTER gpu_tests INCLUDE REGEX "_gpu_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_(gpu|windows)_test\\.cpp$")
  list(FILTER windows_tests INCLUDE REGEX "_windows_test\\.cpp$")
  set(helpers ${sources})
  list(FILTER helpers INCLUDE REGEX "/testing/")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cpp$|/testing/|/injection/")

  add_library(warpclock_${name} STATIC ${sources})
  warpclock_unit(warpclock_${name})
  set_property(GLOBAL APPEND PROPERTY warpclock_folders warpclock_${name})
  target_link_libraries(warpclock_${name} PUBLIC warpclock_options ${ARG_LINK})
  if(name IN_LIST WARPCLOCK_BRIEF)
    target_compile_options(warpclock_${name} PRIVATE -Og)
    list(GET WARPCLOCK_BRIEF 0 first)
  else()
    set(first base)
  endif()
  warpclock_headers(warpclock_${name} warpclock_${first})
  if(name STREQUAL "base")
    # The commit changes with every build and must not take the folder with it.
    target_sources(warpclock_${name} PRIVATE ${warpclock_generated_sources})
    set_source_files_properties(${warpclock_generated_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()

  if(main_file)
    add_executable(warpclock ${main_file})
    target_link_libraries(warpclock PRIVATE warpclock_${name} warpclock_sanitizers)
  endif()
  if(BUILD_TESTING AND tests)
    warpclock_tests(${name}_test warpclock_${name} unit ${tests})
  endif()
  if(BUILD_TESTING AND gpu_tests)
    warpclock_tests(${name}_gpu_test warpclock_${name} gpu ${gpu_tests} ${helpers})
  endif()
  if(BUILD_TESTING AND windows_tests)
    warpclock_tests(${name}_windows_test warpclock_${name} windows ${windows_tests})
  endif()
endfunction()

include(GoogleTest)

# What most sources include, read once. That each names what it uses is seen by the lint, which reads none of it.
set(warpclock_precompiled <algorithm> <array> <chrono> <expected> <filesystem> <functional> <map> <memory> <optional>
                          <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

# A test program whose tests ctest lists one by one; found when ctest starts, so that a build never runs them. It knows
# the finished program as WARPCLOCK_PROGRAM.
function(warpclock_tests name library label)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${library} warpclock_sanitizers GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE WARPCLOCK_PROGRAM="${CMAKE_CURRENT_BINARY_DIR}/warpclock")
  if(name STREQUAL "base_test")
    target_precompile_headers(${name} PRIVATE ${warpclock_precompiled} <gmock/gmock.h> <gtest/gtest.h>)
  else()
    target_precompile_headers(${name} REUSE_FROM base_test)
  endif()
  if(name MATCHES "^(gpu|cli)_")
    add_dependencies(${name} warpclock)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX "${name}: "
                       PROPERTIES LABELS ${label} TIMEOUT 300)
endfunction()

# harness/<name>: a library of its sources, a test program <name>_test of its *_test.cpp, and <name>_gpu_test of its
# *_gpu_test.cpp (ctest label gpu). A main.cpp becomes the program, a *_fuzz.cpp is cmake/fuzz.cmake's. PRECOMPILE names
# more headers that are slow to read.
function(warpclock_folder name)
  cmake_parse_arguments(ARG "" "" "LINK;PRECOMPILE" ${ARGN})
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/harness/${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(main_file ${sources})
  set(gpu_tests ${sources})
  set(tests ${sources})
  list(FILTER main_file INCLUDE REGEX "/main\\.cpp$")
  list(FILTER gpu_tests INCLUDE REGEX "_gpu_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_gpu_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cpp$")
  if(name STREQUAL "base")
    list(APPEND sources ${warpclock_generated_sources})
  endif()

  add_library(warpclock_${name} STATIC ${sources})
  target_link_libraries(warpclock_${name} PUBLIC warpclock_options ${ARG_LINK})
  if(name STREQUAL "base" OR ARG_PRECOMPILE)
    target_precompile_headers(warpclock_${name} PRIVATE ${warpclock_precompiled} ${ARG_PRECOMPILE})
  else()
    target_precompile_headers(warpclock_${name} REUSE_FROM warpclock_base)
  endif()

  if(main_file)
    add_executable(warpclock ${main_file})
    target_link_libraries(warpclock PRIVATE warpclock_${name} warpclock_sanitizers)
  endif()
  if(BUILD_TESTING AND tests)
    warpclock_tests(${name}_test warpclock_${name} unit ${tests})
  endif()
  if(BUILD_TESTING AND gpu_tests)
    warpclock_tests(${name}_gpu_test warpclock_${name} gpu ${gpu_tests})
  endif()
endfunction()

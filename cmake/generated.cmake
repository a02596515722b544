# Sources written at build time: the commit, and the probes, configs, assets of answers and pages and forms of machine instructions
# that the program carries in itself.
set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")

# Runs at every build and rewrites its file only when version, commit or dirty flag changed.
add_custom_target(warpclock_commit ALL
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR} -D OUTPUT=${generated}/commit.cpp
          -D VERSION=${PROJECT_VERSION}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/commit.cmake
  BYPRODUCTS "${generated}/commit.cpp"
  COMMENT "" VERBATIM)

file(GLOB_RECURSE carried_files CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/probes/*.cu" "${CMAKE_CURRENT_SOURCE_DIR}/probes/*.cuh"
  "${CMAKE_CURRENT_SOURCE_DIR}/configs/*.yaml" "${CMAKE_CURRENT_SOURCE_DIR}/harness/answer/assets/*"
  "${CMAKE_CURRENT_SOURCE_DIR}/harness/report/assets/*"
  "${CMAKE_CURRENT_SOURCE_DIR}/harness/fields/forms/*.txt")
# The list itself is an input: a file that goes away must also rewrite the result.
file(CONFIGURE OUTPUT "${generated}/carried_files.txt" CONTENT "${carried_files}\n" @ONLY)
add_custom_command(
  OUTPUT "${generated}/embedded_files.cpp"
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR} -D LIST=${generated}/carried_files.txt
          -D OUTPUT=${generated}/embedded_files.cpp -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${carried_files} "${generated}/carried_files.txt" "${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake"
  COMMENT "Embedding probes, configs, assets and forms" VERBATIM)

set(warpclock_generated_sources "${generated}/commit.cpp" "${generated}/embedded_files.cpp")

# Empty but for sanitized builds, which need help with closed libraries.
if(WARPCLOCK_SANITIZE)
  add_library(warpclock_sanitizers OBJECT cmake/sanitizers.cpp)
  target_link_libraries(warpclock_sanitizers PUBLIC warpclock_options)
else()
  add_library(warpclock_sanitizers INTERFACE)
endif()

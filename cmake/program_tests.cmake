# Tests that call the finished program as a person does, on what is committed.
function(warpclock_program_test name)
  add_test(NAME "program: ${name}" COMMAND warpclock ${ARGN} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties("program: ${name}" PROPERTIES LABELS program TIMEOUT 1500)
endfunction()

# The longest, so it starts first (folder.cmake). The whole takes minutes: label "windows".
function(warpclock_windows_test name label)
  warpclock_program_test("${name}" verify --quick --cache "${CMAKE_CURRENT_BINARY_DIR}/windows" ${ARGN})
  set_tests_properties("program: ${name}" PROPERTIES COST 100 LABELS ${label})
endfunction()

add_test(NAME "program: an installed and moved tree answers from its records"
         COMMAND ${CMAKE_COMMAND} -D BUILD=${CMAKE_CURRENT_BINARY_DIR} -D BINDIR=${CMAKE_INSTALL_BINDIR}
                 -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/installed_test.cmake)

# The first Python that has pandas; without it, the tests of data frames are skipped. ./bootstrap makes the first one.
find_package(Python3 3.9 COMPONENTS Interpreter REQUIRED)
set(python ${Python3_EXECUTABLE})
foreach(candidate IN ITEMS ${CMAKE_CURRENT_SOURCE_DIR}/build/test-python/bin/python ${Python3_EXECUTABLE} /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import pandas" RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
  if(lacking EQUAL 0)
    set(python ${candidate})
    break()
  endif()
endforeach()
add_test(NAME "program: the Python package"
         COMMAND ${python} -m unittest discover -v -s python/tests
         WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
set(fake_cuda "WARPCLOCK_FAKE_CUDA=${CMAKE_CURRENT_BINARY_DIR}/fake_cuda")
set(reader "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/python")
set_tests_properties("program: the Python package" PROPERTIES
                     ENVIRONMENT "WARPCLOCK_PROGRAM=$<TARGET_FILE:warpclock>;${reader};${fake_cuda}")
set_tests_properties("program: the Python package" "program: an installed and moved tree answers from its records"
                     PROPERTIES LABELS program TIMEOUT 1500 COST 50)

set(four --arch sm_80,sm_90a,sm_100a,sm_120a)
warpclock_windows_test("a sample of every suite's windows is verified on four architectures" program
                       --suite all --sample ${four})
warpclock_windows_test("every window of every suite is verified on four architectures" windows --suite all ${four})
warpclock_windows_test("a sample of every suite's windows is verified on eleven architectures" windows
                       --suite all --sample --arch all)

warpclock_program_test("committed reports render byte for byte" report reports --check)
file(GLOB records CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" reports/*/result.json* reports/*/*/result.json*)
foreach(record IN LISTS records)
  warpclock_program_test("replay of ${record}" replay ${record})
endforeach()

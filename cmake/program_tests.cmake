# Tests that call the finished program as a person does, on what is committed.
function(warpclock_program_test name)
  add_test(NAME "program: ${name}" COMMAND warpclock ${ARGN} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties("program: ${name}" PROPERTIES LABELS program TIMEOUT 1500)
endfunction()

warpclock_program_test("every window is verified on four architectures" verify --quick --arch sm_80,sm_90a,sm_100a,sm_120a)
# All cores compile in there: beside other tests those would only be slower.
set_tests_properties("program: every window is verified on four architectures" PROPERTIES RUN_SERIAL ON)

warpclock_program_test("committed reports render byte for byte" report reports --check)
file(GLOB records CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" reports/*/result.json reports/*/*/result.json)
foreach(record IN LISTS records)
  warpclock_program_test("replay of ${record}" replay ${record})
endforeach()

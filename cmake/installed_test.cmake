# Installs BUILD, moves the tree, and asks its program from another folder. Not below the sources, whose reports the
# program would find.
if(DEFINED ENV{TMPDIR})
  set(temporary "$ENV{TMPDIR}")
else()
  set(temporary /tmp)
endif()
string(RANDOM LENGTH 12 name)
set(folder "${temporary}/warpclock-installed-${name}")
execute_process(COMMAND ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${folder}/first" OUTPUT_QUIET
                RESULT_VARIABLE status)
if(status EQUAL 0)
  file(RENAME "${folder}/first" "${folder}/second")
  execute_process(COMMAND "${folder}/second/${BINDIR}/warpclock" cycles ldmatrix.sync.aligned.m8n8.x4.shared.b16 --gpu h200
                  WORKING_DIRECTORY / OUTPUT_VARIABLE answer ERROR_VARIABLE answer)
endif()
file(GLOB_RECURSE pages "${folder}/second/share/warpclock/reports/*.html" "${folder}/second/share/warpclock/reports/*.md")
file(REMOVE_RECURSE "${folder}")
if(NOT answer MATCHES "^ldmatrix.sync.aligned.m8n8.x4.shared.b16: 29.0 cycles \\(H200, measured [-0-9]+\\)")
  message(FATAL_ERROR "the installed program answered:\n${answer}")
endif()
if(pages)
  message(FATAL_ERROR "pages were installed, which follow from the records: ${pages}")
endif()

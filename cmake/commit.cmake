# Writes OUTPUT with VERSION, the commit of SOURCE, and whether anything that decides a measurement differs from it. A copy without
# its repository (an archive, a tree sent to another machine) takes both from WARPCLOCK_COMMIT and WARPCLOCK_DIRTY.
set(commit "unknown")
set(dirty true)
find_program(git git)
if(DEFINED ENV{WARPCLOCK_COMMIT})
  set(commit "$ENV{WARPCLOCK_COMMIT}")
  set(dirty false)
  if("$ENV{WARPCLOCK_DIRTY}")
    set(dirty true)
  endif()
elseif(git)
  # A clone made by one user and built by another is fine here: nothing from it is executed.
  execute_process(COMMAND ${git} -c "safe.directory=*" -C ${SOURCE} rev-parse HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit "${head}")
    execute_process(COMMAND ${git} -c "safe.directory=*" -C ${SOURCE} status --porcelain --
                            CMakeLists.txt cmake configs harness probes
                    OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(changes STREQUAL "")
      set(dirty false)
    endif()
  endif()
endif()

set(text "namespace warpclock {
extern const char* const version_text;
extern const char* const commit_text;
extern const bool commit_dirty;
const char* const version_text = \"${VERSION}\";
const char* const commit_text = \"${commit}\";
const bool commit_dirty = ${dirty};
}  // namespace warpclock
")
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT text STREQUAL before)
  file(WRITE "${OUTPUT}" "${text}")
endif()

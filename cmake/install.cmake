# What `cmake --install` and the packages bring: the program; the probes and configs that it has inside, to copy and
# change; the committed records, without the pages that follow from them. The program finds the records by their path
# from its own folder, so the installed tree may be moved as a whole.
set(data_folder "${CMAKE_INSTALL_DATADIR}/warpclock")
install(TARGETS warpclock RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
if(TARGET warpclock_injected)
  install(TARGETS warpclock_injected LIBRARY DESTINATION "${library_folder}" COMPONENT program)
endif()
install(DIRECTORY configs probes DESTINATION "${data_folder}" COMPONENT program)
install(DIRECTORY reports DESTINATION "${data_folder}" COMPONENT program FILES_MATCHING PATTERN "*.json.gz")

# What a shell and man look for below a prefix, all written by the program itself. A Python package has no use for it.
set(made "${CMAKE_CURRENT_BINARY_DIR}/installed")
find_program(WARPCLOCK_HELP2MAN help2man)
mark_as_advanced(WARPCLOCK_HELP2MAN)
configure_file(cmake/installed_texts.cmake.in "${made}/texts.cmake" @ONLY)
install(SCRIPT "${made}/texts.cmake" COMPONENT system)
install(FILES "${made}/warpclock" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT system)
install(FILES "${made}/warpclock.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        COMPONENT system)
install(FILES "${made}/warpclock.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT system OPTIONAL)
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT system)

# The .deb: `./bootstrap package` makes it for the Debian or Ubuntu that it runs on, whose libraries it links.
cmake_host_system_information(RESULT distribution QUERY DISTRIB_ID)
cmake_host_system_information(RESULT distribution_version QUERY DISTRIB_VERSION_ID)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "warpclock maintainers <maintainers@warpclock.invalid>")
set(package_release "1~${distribution}${distribution_version}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${package_release}")
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "warpclock publishes a number only if the machine code between the two clock
reads is proven to be what the probe claims. It answers from the records of
measured GPUs without a GPU and without the CUDA Toolkit. It compiles and
measures with NVRTC, ptxas, nvdisasm and CUPTI of CUDA 13, which are in
NVIDIA's repository.")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libzstd1)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cuda-nvrtc-13-0, cuda-nvcc-13-0, cuda-nvdisasm-13-0, cuda-cupti-13-0")
include(CPack)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${made}/changelog.Debian" "warpclock (${PROJECT_VERSION}-${package_release}) unstable; urgency=medium

  * `warpclock --version` names the commit that this package was built from.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
install(FILES "${made}/changelog.Debian.gz" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT system)

# The layout of an installed or packaged prof. It can be moved, because prof looks for ../lib/prof.
include(GNUInstallDirs)
install(TARGETS prof RUNTIME DESTINATION bin)
install(TARGETS prof_inject prof_cublas prof_cudnn prof_cusolver prof_cusparse prof_mpi prof_nccl prof_openacc prof_opengl prof_opengl_egl
  prof_opengl_gl prof_opengl_gles prof_opengl_glx prof_opengl_opengl prof_openmp prof_oshmem prof_ucx
  LIBRARY DESTINATION lib/prof)
if(PROF_VULKAN_INCLUDE)
  install(FILES ${PROJECT_BINARY_DIR}/bin/vulkan_layer/VkLayer_prof.json DESTINATION lib/prof/vulkan_layer)
endif()
install(TARGETS prof_report_library
  LIBRARY DESTINATION lib/prof PUBLIC_HEADER DESTINATION include/prof)
install(DIRECTORY exporters/python/prof_report DESTINATION lib/prof/python
  PATTERN __pycache__ EXCLUDE)
# For programs that say themselves when they are recorded.
install(FILES collector/session/control/prof_control.h DESTINATION include/prof)
install(FILES exporters/python/prof_control.py DESTINATION lib/prof/python)
install(FILES LICENSE README.md SECURITY.md DESTINATION share/doc/prof)
install(FILES ${PROJECT_BINARY_DIR}/LICENSES-OF-LIBRARIES DESTINATION share/doc/prof OPTIONAL)  # by ./dev package
install(DIRECTORY docs DESTINATION share/doc/prof)  # README.md and the manual pages refer to it
install(FILES docs/skill/SKILL.md DESTINATION share/prof/skill)
install(DIRECTORY docs/schemas/ DESTINATION share/prof/schema)
install(CODE "set(PAGES \"${PROJECT_SOURCE_DIR}/docs/man\")\nset(EMULATOR \"${CMAKE_CROSSCOMPILING_EMULATOR}\")")
install(SCRIPT cmake/InstallPages.cmake)

# The deb, by `cpack -G DEB`. ./dev package calls it in the build of the preset `package`.
if(PROF_GLIBC_FLOOR)
  install(FILES packaging/deb/lintian-overrides DESTINATION share/lintian/overrides RENAME prof COMPONENT deb EXCLUDE_FROM_ALL)
  install(FILES packaging/deb/copyright DESTINATION share/doc/prof COMPONENT deb EXCLUDE_FROM_ALL)
  install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION share/doc/prof
    COMPONENT deb EXCLUDE_FROM_ALL)
  # Links, because prof_report looks for its library above its real folder.
  install(CODE "
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages\")
    file(CREATE_LINK ../../prof/python/prof_report
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages/prof_report\" SYMBOLIC)
    file(CREATE_LINK ../../prof/python/prof_control.py
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages/prof_control.py\" SYMBOLIC)" COMPONENT deb EXCLUDE_FROM_ALL)
  file(WRITE ${PROJECT_BINARY_DIR}/changelog
    "prof (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See /usr/share/doc/prof/docs/CHANGELOG.md\n\n"
    " -- The prof project <prof@localhost>  Thu, 01 Jan 1970 00:00:00 +0000\n")
  execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "The prof project <prof@localhost>")
  set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_ALL Unspecified deb)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  else()
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
  endif()
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.28)")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3")
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "prof records CUDA, NVTX, OS-runtime calls and CPU samples of a program\n"
    "and its child processes, and writes one SQLite report in nsys's schema.")
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/deb/prerm)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/deb)
  include(CPack)
endif()

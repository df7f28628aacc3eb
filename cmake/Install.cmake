# The layout of an installed or packaged prof. It can be moved, because prof looks for ../lib/prof.
include(GNUInstallDirs)
install(TARGETS prof RUNTIME DESTINATION bin)
install(TARGETS prof_inject prof_cublas prof_cudnn prof_cusolver prof_cusparse prof_nccl
  LIBRARY DESTINATION lib/prof)
install(TARGETS prof_report_library
  LIBRARY DESTINATION lib/prof PUBLIC_HEADER DESTINATION include/prof)
install(DIRECTORY exporters/python/prof_report DESTINATION lib/prof/python
  PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE README.md DESTINATION share/doc/prof)
install(DIRECTORY docs DESTINATION share/doc/prof)  # README.md and the manual pages refer to it

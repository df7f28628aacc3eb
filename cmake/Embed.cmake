# prof_embed(TARGET OUTPUT FILES...): writes OUTPUT with one line {"NAME", R"(content)"}, for each file.
# NAME has no folder and, if it ends with .py, no extension. A source file includes OUTPUT in the
# initializer of a table.
function(prof_embed target output)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake)
  list(JOIN ARGN "|" files)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${files}" -P ${script}
    DEPENDS ${ARGN} ${script}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

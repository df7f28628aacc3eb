# prof_embed(TARGET OUTPUT.cpp NAMESPACE FILES...): makes each file a string_view in a table
#   constexpr std::pair<std::string_view, std::string_view> kEmbedded[]   (name without folder and
# extension -> content), in an anonymous namespace of NAMESPACE. The header that includes OUTPUT
# decides what to do with it.
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

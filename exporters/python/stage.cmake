# Puts the package together: stage.cmake -DSOURCE=… -DLIBRARY=… -DVERSION=… -DOUTPUT=…
file(REMOVE_RECURSE ${OUTPUT})
file(COPY ${SOURCE}/prof_report ${SOURCE}/pyproject.toml ${SOURCE}/setup.py ${SOURCE}/README.md
  DESTINATION ${OUTPUT} PATTERN __pycache__ EXCLUDE)
file(COPY ${LIBRARY} DESTINATION ${OUTPUT}/prof_report)
file(WRITE ${OUTPUT}/VERSION "${VERSION}\n")

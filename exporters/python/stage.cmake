# Puts the package together, as builds use it: stage.cmake -DSOURCE=… -DLIBRARY=… -DVERSION=… -DOUTPUT=…
file(REMOVE_RECURSE ${OUTPUT})
file(COPY ${SOURCE}/prof_report ${SOURCE}/prof_control.py DESTINATION ${OUTPUT} PATTERN __pycache__ EXCLUDE)
file(COPY ${LIBRARY} DESTINATION ${OUTPUT}/prof_report)
file(WRITE ${OUTPUT}/VERSION "${VERSION}\n")

# Gets uPlot into OUT/uPlot.js and OUT/uPlot.css, with its licence, from the
# folder GIVEN or by NPM.  Where neither can, both are left empty: a report then
# has its charts as pictures, and the build says so.
file(MAKE_DIRECTORY ${OUT})
set(from "${GIVEN}/")
if(NOT GIVEN AND NPM)
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json
    DESTINATION ${OUT})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund
    WORKING_DIRECTORY ${OUT} TIMEOUT 120 RESULT_VARIABLE failed
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(from "${OUT}/node_modules/uplot/")
endif()

function(find_one name result)
  foreach(place ${from} ${from}dist/)
    if(EXISTS ${place}${name})
      set(${result} ${place}${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()

if(GIVEN OR NPM)
  find_one(uPlot.iife.min.js script)
  find_one(uPlot.min.css style)
  find_one(LICENSE licence)
endif()
if(script AND style AND licence)
  file(WRITE ${OUT}/open "/*\n")
  file(WRITE ${OUT}/close "*/\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -E cat
    ${OUT}/open ${licence} ${OUT}/close ${script} OUTPUT_FILE ${OUT}/uPlot.js)
  file(COPY_FILE ${style} ${OUT}/uPlot.css)
else()
  file(WRITE ${OUT}/uPlot.js "")
  file(WRITE ${OUT}/uPlot.css "")
  message(WARNING "no uPlot (npm is missing, or could not fetch it): the pages "
    "of lrgd report will have their charts as pictures only. ${said}")
endif()

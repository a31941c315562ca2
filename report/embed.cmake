# Writes OUT, a C file with the script and the style of a page and their sums
# as a content security policy names them.

# The SHA-256 sum of a file in base64: three bytes, six hexadecimal digits, are
# four letters; the last two bytes are three letters and a filler.
function(base64_sum file result)
  set(letters
    ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 ${file} sum)
  string(APPEND sum 00)
  set(text "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING ${sum} ${at} 6 digits)
    foreach(shift 18 12 6 0)
      math(EXPR letter "(0x${digits} >> ${shift}) & 63")
      string(SUBSTRING ${letters} ${letter} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${result} "sha256-${text}=" PARENT_SCOPE)
endfunction()

function(embed name file)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))"
    "\\1\n" bytes "${bytes}")
  base64_sum(${file} sum)
  file(APPEND ${OUT}
    "const size_t report_${name}_size = ${size};\n"
    "const char report_${name}_sum[] = \"${sum}\";\n"
    "const unsigned char report_${name}[] = {\n${bytes}0};\n")
endfunction()

get_filename_component(folder ${OUT} DIRECTORY)
execute_process(COMMAND ${CMAKE_COMMAND} -E cat
  ${PLOTS}/uPlot.js ${SOURCE}/page.js OUTPUT_FILE ${folder}/script.js)
execute_process(COMMAND ${CMAKE_COMMAND} -E cat
  ${PLOTS}/uPlot.css ${SOURCE}/page.css OUTPUT_FILE ${folder}/style.css)
file(WRITE ${OUT} "/* Made by report/embed.cmake. */\n"
  "#include \"report_assets.h\"\n")
embed(script ${folder}/script.js)
embed(style ${folder}/style.css)

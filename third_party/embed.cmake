# Turns a file into a C++ source that holds its bytes:
#   cmake -DINPUT=<file or empty> -DOUTPUT=<file.cpp> -DHEADER=<header> -DTYPE=<type {data, size}> -DFUNCTION=<qualified name>
#         -P embed.cmake
# An empty INPUT gives an object of size 0.
if(INPUT)
  file(READ ${INPUT} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
else()
  set(bytes "0")
  set(size 0)
endif()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

static const unsigned char bytes[] = {
${bytes}};

const ${TYPE}& ${FUNCTION}() {
  static const ${TYPE} object{bytes, ${size}};
  return object;
}
")

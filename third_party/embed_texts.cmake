# The files of a folder as texts of the program:
#   cmake -DFILES=a.md;b.md -DOUTPUT=<file.cpp> -DHEADER=<header> -DTYPE=<type {name, text}> -DNAMESPACE=<namespace>
#         -DFUNCTION=<function> -P embed_texts.cmake
# Names are without their ending. Bytes, since a compiler need not take a literal as long as a text.
set(arrays "")
set(rows "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  string(MAKE_C_IDENTIFIER "text_${name}" array)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char ${array}[] = {\n${bytes}};\n")
  string(APPEND rows "      {\"${name}\", {${array}, ${size}}},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

${arrays}
}  // namespace

std::vector<${TYPE}> ${FUNCTION}() {
  return {
${rows}  };
}

}  // namespace ${NAMESPACE}
")

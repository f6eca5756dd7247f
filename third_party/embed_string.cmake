# embed_string(OUTPUT HEADER NAME FILE): writes OUTPUT, a C++ source. In it NAME, a std::string_view that HEADER declares
# in the namespace convoscope, has the bytes of FILE. Configures again when FILE changes.
function(embed_string output header name file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  file(SIZE ${file} length)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "@header@"

namespace convoscope {

const std::string_view @name@{"@bytes@", @length@};

}  // namespace convoscope
]])
endfunction()

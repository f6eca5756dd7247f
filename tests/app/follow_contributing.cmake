# docs/contributing.md is true for panels and sources: does in a copy of their rooms what it tells a reader to do, compiles what
# is new with the registries, and reads the source. Run as
#   cmake -DSOURCE=<tree> -DWORK=<scratch> -DGENERATOR=<generator> -DCXX=<compiler> -DIMGUI=<include folders>
#         -P follow_contributing.cmake
cmake_minimum_required(VERSION 3.25)
string(REPLACE ":" ";" imgui "${IMGUI}")

file(REMOVE_RECURSE ${WORK}/tree)
file(COPY ${SOURCE}/app/registry.cmake ${SOURCE}/app/registry.cpp.in ${SOURCE}/app/ui ${SOURCE}/app/media
     DESTINATION ${WORK}/tree/app)
file(COPY ${SOURCE}/third_party/together.cmake DESTINATION ${WORK}/tree/third_party)

# Stand-ins for all that the two libraries are linked with: of them nothing but what is new is built.
file(WRITE ${WORK}/tree/try.cpp "
#include <cstdio>
#include \"app/media/sources/source.h\"
namespace convoscope {
extern const Source mysource_source;
bool is_on_disk(const std::string&) { return false; }
int read_some() {
  Interrupt interrupt;
  ReaderOptions options;
  options.source.input = mysource_source.choices().front().input;
  if (!mysource_source.takes(options.source.input) || !mysource_source.check(options.source).empty()) return 1;
  const auto reader = mysource_source.open(options, interrupt);
  FrameReader::Frame frame;
  int frames = 0;
  while (reader->read(frame) && frame.picture.number == frames) ++frames;
  std::printf(\"%s: %d frames\\n\", reader->describe().description.c_str(), frames);
  return frames > 0 && frames == reader->describe().frames ? 0 : 1;
}
}
int main() { return convoscope::read_some(); }
")
file(WRITE ${WORK}/tree/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(rooms CXX)
set(CMAKE_CXX_STANDARD 20)
include(third_party/together.cmake)
include_directories(\${PROJECT_SOURCE_DIR} ${SOURCE} ${imgui})
foreach(name PkgConfig::IMGUI PkgConfig::FFMPEG PkgConfig::STILLS PNG::PNG Threads::Threads nlohmann_json::nlohmann_json)
  add_library(\${name} INTERFACE IMPORTED GLOBAL)
endforeach()
foreach(name convoscope_options_app convoscope_files convoscope_measure)
  add_library(\${name} INTERFACE)
endforeach()
add_subdirectory(app/ui EXCLUDE_FROM_ALL)
add_subdirectory(app/media EXCLUDE_FROM_ALL)
add_library(registered OBJECT app/ui/panels/mypanel_panel.cpp \${PROJECT_BINARY_DIR}/app/ui/panel_registry.cpp
            \${PROJECT_BINARY_DIR}/app/media/source_registry.cpp)
add_executable(try try.cpp app/media/sources/mysource_source.cpp)
")

function(configure result output)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/tree -B ${WORK}/build -DCMAKE_CXX_COMPILER=${CXX}
            "-DCMAKE_CXX_FLAGS=-O0 -Wall -Wextra -Wno-missing-field-initializers -Werror"
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# What was forgotten is an error that names it.
function(must_be_named what)
  configure(status output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake breaks long lines
  if(status EQUAL 0 OR NOT output MATCHES "${what}")
    message(FATAL_ERROR "It must fail to configure and name ${what}:\n${output}")
  endif()
endfunction()

function(copy_template template id file)
  file(READ ${WORK}/tree/${template} text)
  string(REPLACE "@id@" ${id} text "${text}")
  string(REPLACE "@Title@" My text "${text}")
  file(WRITE ${WORK}/tree/${file} "${text}")
endfunction()

function(replace_in file old new)
  file(READ ${WORK}/tree/${file} text)
  string(REPLACE "${old}" "${new}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${file} has no '${old}'")
  endif()
  file(WRITE ${WORK}/tree/${file} "${changed}")
endfunction()

# The words without their files, then the files without their words.
replace_in(app/ui/CMakeLists.txt "set(PANELS " "set(PANELS mypanel ")
must_be_named("'mypanel' is in PANELS of app/ui/CMakeLists.txt")
copy_template(app/ui/panels/template_panel.cpp.in mypanel app/ui/panels/mypanel_panel.cpp)
copy_template(app/media/sources/template_source.cpp.in mysource app/media/sources/mysource_source.cpp)
must_be_named("mysource_source.cpp is not in the list of app/media/CMakeLists.txt: add 'mysource' to SOURCES")
replace_in(app/media/CMakeLists.txt " file)" " mysource file)")

configure(status output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The rooms with the new files do not configure:\n${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --target registered try
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The new panel or source does not compile:\n${output}")
endif()
foreach(made app/ui/panel_registry.cpp:mypanel_panel app/media/source_registry.cpp:mysource_source)
  string(REPLACE ":" ";" made ${made})
  list(GET made 0 file)
  list(GET made 1 name)
  file(STRINGS ${WORK}/build/${file} found REGEX "&${name},")
  if(NOT found)
    message(FATAL_ERROR "${file} does not list ${name}")
  endif()
endforeach()
execute_process(COMMAND ${WORK}/build/try COMMAND_ECHO STDOUT RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The new source gives no pictures")
endif()

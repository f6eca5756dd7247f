# Headers, and what is made of their templates, take a compiler longer than any of our files: with CONVOSCOPE_TOGETHER
# several are compiled as one. CMake's own unity builds do that too, but name the files by their whole paths, so that ccache
# would find nothing of what another clone has built.
option(CONVOSCOPE_TOGETHER "Compile several source files as one: sooner built from nothing, later after a change" OFF)

# The compiler would look for memory to free every time its own has doubled. With several files to a run that is a tenth of its
# time, and what it frees is a part of what it has at the end anyway.
if(CONVOSCOPE_TOGETHER)
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=800000>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=--param=ggc-min-heapsize=800000>)
  endif()
endif()

# write_together(FILE FILES): FILE includes FILES, by paths that are the same in every clone.
function(write_together file files)
  set(content "")
  get_filename_component(folder ${file} DIRECTORY)
  foreach(one ${files})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${one})
    string(FIND ${one} ${CMAKE_BINARY_DIR}/ generated)
    if(generated EQUAL 0)
      file(RELATIVE_PATH path ${folder} ${one})
    endif()
    string(APPEND content "#include \"${path}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "${content}" @ONLY)
endfunction()

# together(RESULT NAME COUNT FILES [ALONE FILES]): FILES as COUNT runs of the compiler, neighbours in one, and those that must
# be compiled alone, which also have to be among FILES, or have options of their own.
function(together result name count files)
  cmake_parse_arguments(PARSE_ARGV 4 NOT_TOGETHER "" "" "ALONE")
  if(NOT CONVOSCOPE_TOGETHER)
    set(${result} ${files} PARENT_SCOPE)
    return()
  endif()
  set(alone "")
  foreach(file ${NOT_TOGETHER_ALONE})
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND alone ${file})
  endforeach()
  list(REMOVE_ITEM files ${alone})
  list(LENGTH files all)
  set(from 0)
  foreach(run RANGE 1 ${count})
    math(EXPR length "${all} * ${run} / ${count} - ${from}")
    list(SUBLIST files ${from} ${length} some)
    math(EXPR from "${from} + ${length}")
    write_together(${CMAKE_CURRENT_BINARY_DIR}/together/${name}_${run}.cpp "${some}")
    list(APPEND runs ${CMAKE_CURRENT_BINARY_DIR}/together/${name}_${run}.cpp)
  endforeach()
  set(${result} ${runs} ${alone} PARENT_SCOPE)
endfunction()

# Where no time is spent. Pixels are kernels/'s business, with -O3; elsewhere it takes the compiler a quarter longer and
# gains nothing. Where kernels are built to run and not to be measured, the compiler's time counts for more yet.
set(CONVOSCOPE_COLD_OPTIMISATION -O1)
if(CONVOSCOPE_QUICK_KERNELS)
  set(CONVOSCOPE_COLD_OPTIMISATION -Og)
endif()

# The standard library's headers take the compiler more than a second in each of these, too. Not where each file is
# compiled as it stands, so that none forgets what it includes.
if(CONVOSCOPE_TOGETHER)
  file(CONFIGURE OUTPUT headers.cpp CONTENT "")
  add_library(convoscope_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
  target_link_libraries(convoscope_headers PRIVATE convoscope_options)
  target_compile_options(convoscope_headers PRIVATE $<$<CONFIG:Release>:${CONVOSCOPE_COLD_OPTIMISATION}>)
  target_precompile_headers(convoscope_headers PRIVATE <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <deque>
    <filesystem> <functional> <map> <memory> <mutex> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <vector>)
endif()
function(precompiled_headers library)
  if(CONVOSCOPE_TOGETHER)
    target_precompile_headers(${library} REUSE_FROM convoscope_headers)
  endif()
endfunction()

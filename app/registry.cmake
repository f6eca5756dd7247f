# What is one file and one word in one list. LIST names a list of words, in the order in which they are offered; each ID
# of it is a file FOLDER/ID_KIND.cpp, which defines
#   extern const TYPE ID_KIND{...};      (KIND is TYPE in small letters)
# in NAMESPACE. The registry, made here and appended to the variable FILES, defines what HEADER declares:
#   std::span<const TYPE* const> KINDs();
# The files themselves are globbed with those of their folder.
function(make_registry list)
  cmake_parse_arguments(PARSE_ARGV 1 REGISTRY "" "TYPE;NAMESPACE;HEADER;FOLDER;FILES" "")
  string(TOLOWER ${REGISTRY_TYPE} KIND)
  file(RELATIVE_PATH here ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(id ${${list}})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${REGISTRY_FOLDER}/${id}_${KIND}.cpp)
      message(FATAL_ERROR "'${id}' is in ${list} of ${here}/CMakeLists.txt, but there is no ${here}/${REGISTRY_FOLDER}/${id}_${KIND}.cpp")
    endif()
    string(APPEND DECLARATIONS "extern const ${REGISTRY_TYPE} ${id}_${KIND};\n")
    string(APPEND ADDRESSES "      &${id}_${KIND},\n")
  endforeach()
  file(GLOB present CONFIGURE_DEPENDS ${REGISTRY_FOLDER}/*_${KIND}.cpp)
  foreach(file ${present})
    get_filename_component(id ${file} NAME_WE)
    string(REGEX REPLACE "_${KIND}$" "" id ${id})
    if(NOT id IN_LIST ${list})
      message(FATAL_ERROR "${file} is not in the list of ${here}/CMakeLists.txt: add '${id}' to ${list}")
    endif()
  endforeach()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${KIND}_registry.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/app/registry.cpp.in ${made} @ONLY)
  set(${REGISTRY_FILES} ${${REGISTRY_FILES}} ${made} PARENT_SCOPE)
endfunction()

# add_suites(PROGRAM TIMEOUT SECONDS [CASES_OF REGEX] [PREFIX PREFIX] [ENVIRONMENT NAME=VALUE])
# The tests of a program of GoogleTest, a process and a test of ctest each. With CONVOSCOPE_SUITES_TOGETHER, a process runs
# a whole suite, since a program with sanitizers takes longer to start and to end than most cases do; of the suites that
# match REGEX, which are long, each case still has its own.
# They are listed when ctest runs, not when the program is built: that needs the program to start.
option(CONVOSCOPE_SUITES_TOGETHER "The cases of a suite of tests share a process" OFF)
function(add_suites program)
  cmake_parse_arguments(PARSE_ARGV 1 SUITES "" "TIMEOUT;CASES_OF;PREFIX;ENVIRONMENT" "")
  if(CONVOSCOPE_SANITIZE)
    target_link_libraries(${program} PRIVATE convoscope_sanitizers)
  endif()
  get_target_property(headers ${program} PRECOMPILE_HEADERS_REUSE_FROM)
  if(TARGET convoscope_tests_headers AND NOT headers)
    target_precompile_headers(${program} REUSE_FROM convoscope_tests_headers)
  endif()
  if(NOT CONVOSCOPE_SUITES_TOGETHER)
    gtest_discover_tests(${program} TEST_PREFIX "${SUITES_PREFIX}" TEST_LIST "${SUITES_PREFIX}${program}"
      DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
      PROPERTIES TIMEOUT ${SUITES_TIMEOUT} ENVIRONMENT "${SUITES_ENVIRONMENT}")
    return()
  endif()
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${SUITES_PREFIX}${program}_suites.cmake)
  file(GENERATE OUTPUT ${list} CONTENT "set(program \"$<TARGET_FILE:${program}>\")
set(folder \"${CMAKE_CURRENT_BINARY_DIR}\")
set(prefix \"${SUITES_PREFIX}\")
set(cases_of \"${SUITES_CASES_OF}\")
set(properties TIMEOUT ${SUITES_TIMEOUT} ENVIRONMENT \"${SUITES_ENVIRONMENT}\")
include(\"${PROJECT_SOURCE_DIR}/tests/list_suites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list})
endfunction()

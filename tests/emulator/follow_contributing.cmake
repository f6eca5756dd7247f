# docs/contributing.md is true: does in a copy of the tree what it tells a reader to do for a strategy and for a kind, compiles what
# is new with the registry, built as the tests are, and verifies both. The rest of the library is the build's own: of the same
# files and the same options, it would be the same. Run as
#   cmake -DSOURCE=<tree> -DLIBRARY=<as it was built> -DCUDA=<whether with it> -DWORK=<scratch folder> -DOPTIONS=<of cmake>
#         -P follow_contributing.cmake
cmake_minimum_required(VERSION 3.25)
set(id my-strategy)
string(REPLACE "-" "_" name ${id})

file(REMOVE_RECURSE ${WORK}/tree)
file(COPY ${SOURCE}/CMakeLists.txt ${SOURCE}/kernels ${SOURCE}/third_party DESTINATION ${WORK}/tree)

# The file, from the template.
file(READ ${WORK}/tree/kernels/strategies/image/template.cu.in text)
string(REPLACE "@id@" ${id} text "${text}")
string(REPLACE "@name@" ${name} text "${text}")
file(WRITE ${WORK}/tree/kernels/strategies/image/2-tiles/${id}.cu "${text}")

# The kind's two, from theirs.
set(kind mykind)
file(READ ${WORK}/tree/kernels/kinds/template.cpp.in text)
string(REPLACE "@id@" ${kind} text "${text}")
file(WRITE ${WORK}/tree/kernels/kinds/${kind}.cpp "${text}")
file(READ ${WORK}/tree/kernels/strategies/cpu-direct.cpp.in text)
string(REPLACE "@id@" ${kind} text "${text}")
file(WRITE ${WORK}/tree/kernels/strategies/${kind}/1-direct/cpu-direct.cpp "${text}")

function(configure result output)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${WORK}/tree -B ${WORK}/build ${OPTIONS} -DCONVOSCOPE_APP=OFF -DCONVOSCOPE_CUDA=OFF
            -DCONVOSCOPE_TESTS=OFF
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# Forgetting a word in the lists is an error that names the file.
function(must_name_the_missing file)
  configure(status output)
  if(status EQUAL 0 OR NOT output MATCHES "${file}")
    message(FATAL_ERROR "A file that is not in the lists must fail to configure and be named, as ${file} should be:\n${output}")
  endif()
endfunction()
must_name_the_missing(kinds/${kind}.cpp)

# The words.
file(READ ${WORK}/tree/kernels/CMakeLists.txt list)
string(REPLACE "set(KINDS " "set(${kind}_CPU_STRATEGIES cpu-direct)\nset(KINDS ${kind} " list "${list}")
file(WRITE ${WORK}/tree/kernels/CMakeLists.txt "${list}")
must_name_the_missing(${id}.cu)
string(REPLACE "set(image_CUDA_STRATEGIES\n" "set(image_CUDA_STRATEGIES\n    ${id}\n" list "${list}")
file(WRITE ${WORK}/tree/kernels/CMakeLists.txt "${list}")

# `convoscope verify --strategy`, without the rest of the program.
file(WRITE ${WORK}/tree/verify.cpp "
#include <cstdio>
#include \"kernels/check/verify.h\"
#include \"kernels/contract/kind.h\"
int main() {
  using namespace convoscope;
  int wrong = 0;
  const auto check = [&](Backend backend, const Kind* kind, const char* id) {
    int passed = 0, failed = 0;
    for (const VerifyRow& row : verify(*make_compute(backend), {.kind = kind, .strategies = {id}, .small = true})) {
      passed += row.passed;
      failed += row.failed();
      if (row.failed()) std::printf(\"%s: %s\\n\", row.filter.c_str(), row.failure.c_str());
    }
    std::printf(\"%s, %s: %d passed, %d failed\\n\", kind->id.data(), id, passed, failed);
    wrong += failed + (passed == 0);
  };
  check(Backend::emulated, &image_kind, \"${id}\");
  for (const char* id : {\"cpu-direct\", \"auto\"}) check(Backend::cpu, find_kind(\"${kind}\"), id);
  return wrong;
}
")
file(APPEND ${WORK}/tree/CMakeLists.txt "
get_target_property(files convoscope_kernels SOURCES)
list(FILTER files INCLUDE REGEX \"/(${id}|${kind}|registry)[./]\")
set_property(TARGET convoscope_kernels PROPERTY SOURCES \${files})
add_executable(verify_new verify.cpp \$<TARGET_OBJECTS:convoscope_kernels>)
target_link_libraries(verify_new PRIVATE ${LIBRARY} convoscope_kernels)
if(${CUDA})
  find_package(CUDAToolkit REQUIRED)
  target_link_libraries(verify_new PRIVATE CUDA::cudart_static)
endif()
")

configure(status output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The tree with the new files does not configure:\n${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --target verify_new
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The new strategy or kind does not build:\n${output}")
endif()
execute_process(COMMAND ${WORK}/build/verify_new COMMAND_ECHO STDOUT RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The new strategy or kind does not verify")
endif()

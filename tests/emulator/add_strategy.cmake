# "Add a strategy in five lines" is true: does in a copy of the tree what the page docs/house.md tells a reader to do, builds the
# library there and verifies the new strategy. Run as
#   cmake -DSOURCE=<tree> -DWORK=<scratch folder> -DGENERATOR=<generator> -DCXX=<compiler> -P add_strategy.cmake
cmake_minimum_required(VERSION 3.25)
set(id my-strategy)
string(REPLACE "-" "_" name ${id})

file(REMOVE_RECURSE ${WORK}/tree)  # the build folder stays: a second run builds what changed
file(COPY ${SOURCE}/CMakeLists.txt ${SOURCE}/kernels ${SOURCE}/third_party DESTINATION ${WORK}/tree)

# The file, from the template.
file(READ ${WORK}/tree/kernels/strategies/image/template.cu.in text)
string(REPLACE "@id@" ${id} text "${text}")
string(REPLACE "@name@" ${name} text "${text}")
file(WRITE ${WORK}/tree/kernels/strategies/image/${id}.cu "${text}")

function(configure result output)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/tree -B ${WORK}/build -DCMAKE_CXX_COMPILER=${CXX}
            -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 -DCONVOSCOPE_APP=OFF -DCONVOSCOPE_CUDA=OFF
            -DCONVOSCOPE_TESTS=OFF -DCMAKE_UNITY_BUILD=ON
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# Forgetting the word in the list is an error that names the file.
configure(status output)
if(status EQUAL 0 OR NOT output MATCHES "${id}")
  message(FATAL_ERROR "A strategy file that is not in the list must fail to configure and be named:\n${output}")
endif()

# The word.
file(READ ${WORK}/tree/kernels/CMakeLists.txt list)
string(REPLACE "set(CUDA_STRATEGIES " "set(CUDA_STRATEGIES ${id} " list "${list}")
file(WRITE ${WORK}/tree/kernels/CMakeLists.txt "${list}")

# `convoscope verify --strategy`, without the rest of the program.
file(WRITE ${WORK}/tree/verify.cpp "
#include <cstdio>
#include \"kernels/check/verify.h\"
int main() {
  using namespace convoscope;
  const auto compute = make_compute(Backend::emulated);
  VerifyOptions options;
  options.strategies = {\"${id}\"};
  options.small = true;
  int passed = 0, failed = 0;
  for (const VerifyRow& row : verify(*compute, options)) {
    passed += row.passed;
    failed += row.failed();
    if (row.failed()) std::printf(\"%s: %s\\n\", row.filter.c_str(), row.failure.c_str());
  }
  std::printf(\"${id}: %d passed, %d failed\\n\", passed, failed);
  return passed > 0 && failed == 0 ? 0 : 1;
}
")
file(APPEND ${WORK}/tree/CMakeLists.txt "
add_executable(verify_new verify.cpp)
target_link_libraries(verify_new PRIVATE convoscope_kernels)
")

configure(status output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The tree with the new strategy does not configure:\n${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --target verify_new
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The new strategy does not build:\n${output}")
endif()
execute_process(COMMAND ${WORK}/build/verify_new COMMAND_ECHO STDOUT RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The new strategy does not verify")
endif()

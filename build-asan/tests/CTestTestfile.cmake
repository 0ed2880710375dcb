# CMake generated Testfile for 
# Source directory: /work/wt/schema/tests
# Build directory: /work/wt/schema/build-asan/tests
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test("cpp" "/work/wt/schema/build-asan/tests/rushlight_tests")
set_tests_properties("cpp" PROPERTIES  _BACKTRACE_TRIPLES "/work/wt/schema/tests/CMakeLists.txt;17;add_test;/work/wt/schema/tests/CMakeLists.txt;0;")

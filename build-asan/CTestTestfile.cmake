# CMake generated Testfile for 
# Source directory: /work/wt/schema
# Build directory: /work/wt/schema/build-asan
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
subdirs("rushlight/runtime")
subdirs("rushlight/ops")
subdirs("rushlight/backends")
subdirs("rushlight/host")
subdirs("tests")

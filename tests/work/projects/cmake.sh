# A library and a program built by CMake, with a test.
# Needs: cmake
git init -q -b main
cat > CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.10)
project(sum C CXX)
enable_testing()
add_library(sum sum.c)
add_executable(sums main.cpp)
target_link_libraries(sums sum)
add_test(NAME adds COMMAND sums 1 2)
set_tests_properties(adds PROPERTIES PASS_REGULAR_EXPRESSION "3")
install(TARGETS sums DESTINATION bin)
include(CPack)
X
echo 'int sum(int a, int b) { return a + b; }' > sum.c
cat > main.cpp <<'X'
#include <cstdlib>
#include <iostream>
extern "C" int sum(int, int);
int main(int, char **words) { std::cout << sum(std::atoi(words[1]), std::atoi(words[2])) << "\n"; }
X
git add . && git commit -qm 'Adds numbers'
cmake -S . -B ready > /dev/null && cmake --build ready > /dev/null

# isotap_options: what every target of ours is compiled with. Warnings are errors.
add_library(isotap_options INTERFACE)
target_compile_options(isotap_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
    -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough)

# gcc 12 reports false positives from inlined library code once it optimises; clang and the
# sanitizers look at the same lines.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(isotap_options INTERFACE
        -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict)
endif()

find_package(GTest REQUIRED)
add_custom_target(fuzzers)

# isotap_add_test(NAME name SOURCES … LIBRARIES … [LABELS …] [TIMEOUT s])
# One test program, one ctest entry. Labels select groups: tests/README.md lists them.
function(isotap_add_test)
    cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
    add_executable(${ARG_NAME} ${ARG_SOURCES})
    target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${ARG_NAME} PRIVATE
        ${ARG_LIBRARIES} isotap_options GTest::gtest GTest::gmock GTest::gtest_main)
    add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    set_tests_properties(${ARG_NAME} PROPERTIES
        LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
        ENVIRONMENT "ISOTAP_SOURCE=${PROJECT_SOURCE_DIR};ISOTAP_BUILD=${PROJECT_BINARY_DIR}")
endfunction()

# isotap_add_fuzzer(NAME name SOURCES … LIBRARIES …): a libFuzzer program in the fuzz preset; in every
# other one, the same function run over its corpus as an ordinary test.
function(isotap_add_fuzzer)
    cmake_parse_arguments(ARG "" "NAME" "SOURCES;LIBRARIES" ${ARGN})
    set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${ARG_NAME})
    if(ISOTAP_FUZZ)
        add_executable(${ARG_NAME} ${ARG_SOURCES})
        target_link_options(${ARG_NAME} PRIVATE -fsanitize=fuzzer)
        add_dependencies(fuzzers ${ARG_NAME})
    else()
        add_executable(${ARG_NAME} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_corpus.cpp)
        add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} ${corpus})
        set_tests_properties(${ARG_NAME} PROPERTIES LABELS "unit;fuzz" TIMEOUT 120)
    endif()
    target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LIBRARIES} isotap_options)
endfunction()

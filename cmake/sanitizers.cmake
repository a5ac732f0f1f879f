if(ISOTAP_SANITIZE)
    add_compile_options(-fsanitize=${ISOTAP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -O1)
    add_link_options(-fsanitize=${ISOTAP_SANITIZE})
endif()

if(ISOTAP_COVERAGE)
    add_compile_options(--coverage -O0)
    add_link_options(--coverage)
endif()

# Fuzz targets bring their own main; everything they call is instrumented for coverage.
if(ISOTAP_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(ISOTAP_SANITIZE)
    # Reports need lines, not every variable: full debug information would double the build.
    add_compile_options(-fsanitize=${ISOTAP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
        -O1 -gline-tables-only)
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

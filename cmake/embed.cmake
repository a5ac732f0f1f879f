# isotap_embed(target name FILES …): texts that the program carries inside, by file name.
# Defines what proxy/ops/<name>.hpp declares: `std::string_view <name>(std::string_view)`, empty for a
# file that is not among them.
function(isotap_embed target name)
    set(cases "")
    foreach(file IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} text)
        get_filename_component(base ${file} NAME)
        string(APPEND cases "    if (name == \"${base}\") {\n        return R\"isotap(${text})isotap\";\n    }\n")
    endforeach()
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${out} @ONLY CONTENT [=[
// Made by cmake/embed.cmake.
#include "proxy/ops/@name@.hpp"

namespace isotap::proxy {

std::string_view @name@(std::string_view name) noexcept {
@cases@    return {};
}

}  // namespace isotap::proxy
]=])
    target_sources(${target} PRIVATE ${out})
endfunction()

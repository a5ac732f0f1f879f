#pragma once

#include <string>
#include <string_view>

namespace isotap::proxy {

/// Text with its `%41` made into bytes again, for a part of a URL that `what` names in errors.
/// Throws StartupError (usage) for what is no code and for NUL, and never repeats the text: it may
/// be a secret.
std::string percent_decoded(std::string_view text, std::string_view what);

}  // namespace isotap::proxy

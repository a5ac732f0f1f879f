#pragma once

#include <string>

namespace isotap::analysis {

/// The text with U+FFFD in the place of every byte that is no part of a character in UTF-8.
/// Statements come as clients send them, in any character set, and are cut at a length; JSON has to
/// be UTF-8 all the same.
std::string in_utf8(std::string text);

}  // namespace isotap::analysis

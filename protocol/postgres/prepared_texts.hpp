#pragma once

#include <string>

#include "protocol/postgres/name_table.hpp"

namespace isotap::postgres {

/// The text of a statement, as much of it as was kept.
struct KeptText {
    std::string text;
    bool cut = false;
};

/// Which text a name stands for. Changed only when the server has confirmed the change.
using PreparedTexts = NameTable<KeptText>;

}  // namespace isotap::postgres

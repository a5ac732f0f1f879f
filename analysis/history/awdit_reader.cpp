#include "analysis/history/history_builder.hpp"
#include "analysis/history/line_reader.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

bool is_rule(std::string_view line, char of) noexcept {
    return line.size() >= 3 && line.find_first_not_of(of) == std::string_view::npos;
}

bool read_operation(std::string_view line, HistoryBuilder& builder) {
    const bool writes = take_char(line, 'w');
    std::int64_t key = 0;
    std::int64_t value = 0;
    if ((!writes && !take_char(line, 'r')) || !take_char(line, ' ') || !take_integer(line, key) ||
        !take_integer(line, value) || line.find_first_not_of(' ') != std::string_view::npos) {
        return false;
    }
    Atoms& atoms = builder.history.atoms;
    builder.add(atoms.number(key), atoms.number(value),
                writes ? OperationKind::write : OperationKind::read);
    return true;
}

}  // namespace

ReadResult<History> read_awdit(const Source& source) {
    HistoryBuilder builder;
    builder.history.has_initial_state = false;
    LineReader lines(source.text);
    std::string_view line;
    std::uint32_t session = builder.begin_session();
    while (lines.next(line)) {
        if (line.empty()) {
            continue;
        }
        const bool ends_session = is_rule(line, '=');
        if (ends_session || is_rule(line, '-')) {
            if (builder.has_open_operations()) {
                builder.end_transaction(session, Outcome::committed);
            }
            session = ends_session ? builder.begin_session() : session;
        } else if (!read_operation(line, builder)) {
            return source.error(ReadErrorKind::malformed, lines.offset(),
                                "expected `r key value`, `w key value`, ----- or =====");
        }
        source.done_before(lines.offset());
    }
    if (builder.has_open_operations()) {
        builder.end_transaction(session, Outcome::committed);
    }
    return std::move(builder.history);
}

}  // namespace isotap::history

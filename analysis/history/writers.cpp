#include "analysis/history/writers.hpp"

#include "analysis/history/elle_writer.hpp"
#include "analysis/history/register_writers.hpp"

namespace isotap::history {

namespace {

using Written = boost::system::result<void, std::string>;

Written expect_model(const History& history, HistoryModel wanted, Format format) {
    if (history.model == wanted || history.operations.empty()) {
        return {};
    }
    return std::string(to_string(format)) +
           (wanted == HistoryModel::lists ? " holds appends to lists, and this history has none"
                                          : " holds registers, and this history has others");
}

Written expect_numbers(const History& history, Format format) {
    const auto number = [](Value value) { return Atoms::is_integer(value); };
    for (const Operation& operation : history.operations) {
        if (!number(history.atoms.key_name(operation.key)) ||
            (operation.value != initial_value && !number(operation.value))) {
            return std::string(to_string(format)) + " holds numbers, and this history has " +
                   history.atoms.spell(operation.key) + " = " +
                   history.atoms.spell(operation.value);
        }
    }
    return {};
}

}  // namespace

bool can_write(Format format) noexcept {
    return format == Format::elle_append || format == Format::elle_register ||
           format == Format::plume || format == Format::dbcop_bincode;
}

Written write_history(const ReadHistory& read, Format format, std::ostream& out) {
    if (!can_write(format)) {
        return "no history is written as " + std::string(to_string(format)) +
               ": choose elle-append, elle-register, plume or dbcop-bincode";
    }
    const bool lists = format == Format::elle_append;
    Written fits =
        expect_model(read.history, lists ? HistoryModel::lists : HistoryModel::registers, format);
    const bool numbers = format == Format::plume || format == Format::dbcop_bincode;
    if (fits && numbers) {
        fits = expect_numbers(read.history, format);
    }
    if (!fits) {
        return fits;
    }
    switch (format) {
        case Format::plume: write_plume(read, out); break;
        case Format::dbcop_bincode: write_dbcop_bincode(read, out); break;
        default: write_elle(read.history, out); break;
    }
    return {};
}

}  // namespace isotap::history

#include "analysis/history/formats.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

constexpr std::array<std::pair<Format, std::string_view>, 11> names{{
    {Format::elle_append, "elle-append"},
    {Format::elle_register, "elle-register"},
    {Format::elle_predicate, "elle-predicate"},
    {Format::elle_json, "elle-json"},
    {Format::plume, "plume"},
    {Format::dbcop_json, "dbcop-json"},
    {Format::dbcop_hist, "dbcop-hist"},
    {Format::dbcop_bincode, "dbcop-bincode"},
    {Format::cobra, "cobra"},
    {Format::timekiller, "timekiller"},
    {Format::awdit, "awdit"},
}};

bool contains(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

/// The numbers of its head agree with the size of the file.
bool looks_like_bincode(std::string_view text) noexcept {
    constexpr std::size_t parameter_bytes = 40;
    ByteReader bytes(as_bytes(text));
    bytes.take(parameter_bytes);
    for (int i = 0; i < 3; ++i) {
        const std::uint64_t length = bytes.le64();
        if (length > bytes.rest().size()) {
            return false;
        }
        bytes.take(length);
    }
    const std::uint64_t sessions = bytes.le64();
    return bytes.ok() && sessions <= bytes.rest().size();
}

std::optional<Format> detect_json(std::string_view head) noexcept {
    if (contains(head, "\"sts\"") || contains(head, "\"tid\"")) {
        return Format::timekiller;
    }
    return contains(head, "\"data\"") || contains(head, "\"params\"") ? Format::dbcop_json
                                                                      : Format::elle_json;
}

std::optional<Format> detect_bracket(std::string_view head) noexcept {
    const std::size_t next = head.find_first_not_of(" \t\r\n,[{(");
    if (next == std::string_view::npos) {
        return head.front() == '[' ? std::optional(Format::elle_append) : std::nullopt;
    }
    const char first = head[next];
    if (first == '"') {
        return detect_json(head);
    }
    if (first == ':' || first == '#' || first == ';' || first == '}') {
        return Format::elle_append;
    }
    const std::size_t end = head.find_first_of(" \t\r\n]", next);
    const std::string_view word = head.substr(next, end - next);
    const bool operation = contains(word, ":=") || contains(word, "==");
    return head.front() == '[' && (operation || first == ']') ? std::optional(Format::dbcop_hist)
                                                              : std::nullopt;
}

ReadResult<History> read_text(const Source& source, Format format) {
    switch (format) {
        case Format::elle_append:
        case Format::elle_register:
        case Format::elle_predicate: return read_elle_edn(source);
        case Format::elle_json: return read_elle_json(source);
        case Format::plume: return read_plume(source);
        case Format::dbcop_json: return read_dbcop_json(source);
        case Format::dbcop_hist: return read_dbcop_hist(source);
        case Format::dbcop_bincode: return read_dbcop_bincode(source);
        case Format::timekiller: return read_timekiller(source);
        case Format::awdit: return read_awdit(source);
        case Format::cobra: break;
    }
    return ReadError{ReadErrorKind::unreadable, source.name, 0, 0,
                     "cobra histories are folders of T*.log files"};
}

Format elle_format(HistoryModel model) noexcept {
    switch (model) {
        case HistoryModel::lists: return Format::elle_append;
        case HistoryModel::registers: return Format::elle_register;
        case HistoryModel::predicates: return Format::elle_predicate;
    }
    return Format::elle_append;
}

bool is_elle_edn(Format format) noexcept {
    return format == Format::elle_append || format == Format::elle_register ||
           format == Format::elle_predicate;
}

ReadResult<ReadHistory> settle(ReadResult<History> read, const std::string& name, Format format,
                               bool asked) {
    if (!read) {
        return read.error();
    }
    if (is_elle_edn(format)) {
        const Format found = elle_format(read->model);
        const bool reads_only = read->model == HistoryModel::registers &&
                                std::none_of(read->operations.begin(), read->operations.end(),
                                             [](const Operation& operation) {
                                                 return operation.kind == OperationKind::write;
                                             });
        if (asked && found != format && !reads_only) {
            return ReadError{ReadErrorKind::contradiction, name, 0, 0,
                             "asked to read " + std::string(to_string(format)) +
                                 ", but its operations are those of " +
                                 std::string(to_string(found))};
        }
        format = asked ? format : found;
    }
    auto writers = WriterIndex::build(*read);
    if (!writers) {
        ReadError error = writers.error();
        error.file = name;
        return error;
    }
    return ReadHistory{std::move(*read), std::move(*writers), format};
}

ReadResult<ReadHistory> read_source(const Source& source, std::optional<Format> asked) {
    const std::optional<Format> format = asked ? asked : detect_format(source.text);
    if (!format) {
        return ReadError{ReadErrorKind::unknown_format, source.name, 0, 0,
                         source.text.empty() ? "the file is empty: say --format"
                                             : "it begins like none of the formats: say --format"};
    }
    return settle(read_text(source, *format), source.name, *format, asked.has_value());
}

}  // namespace

std::string_view to_string(Format format) noexcept {
    return std::find_if(names.begin(), names.end(),
                        [&](const auto& entry) { return entry.first == format; })
        ->second;
}

std::optional<Format> format_from(std::string_view name) noexcept {
    const auto at = std::find_if(names.begin(), names.end(),
                                 [&](const auto& entry) { return entry.second == name; });
    return at == names.end() ? std::nullopt : std::optional(at->first);
}

const std::vector<Format>& all_formats() {
    static const std::vector<Format> formats = [] {
        std::vector<Format> all(std::size(names));
        std::transform(std::begin(names), std::end(names), all.begin(),
                       [](const auto& entry) { return entry.first; });
        return all;
    }();
    return formats;
}

std::optional<Format> detect_format(std::string_view text) noexcept {
    constexpr std::size_t head_bytes = 4096;
    std::string_view head = text.substr(0, head_bytes);
    if (contains(head, std::string_view("\0", 1))) {
        return looks_like_bincode(text) ? std::optional(Format::dbcop_bincode) : std::nullopt;
    }
    const std::size_t start = head.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) {
        return std::nullopt;
    }
    head.remove_prefix(start);
    switch (head.front()) {
        case '[':
        case '{': return detect_bracket(head);
        case '#':
        case ';': return Format::elle_append;
        case '/': return Format::dbcop_hist;
        case '-':
        case '=': return contains(head, "[") ? Format::dbcop_hist : Format::awdit;
        case 'r':
        case 'w':
            if (head.size() > 1) {
                return head[1] == '(' ? Format::plume : Format::awdit;
            }
            return std::nullopt;
        default: return std::nullopt;
    }
}

ReadResult<ReadHistory> read_history(const std::string& path, std::optional<Format> format) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    if (folder || format == Format::cobra) {
        if (format && format != Format::cobra) {
            return ReadError{ReadErrorKind::unreadable, path, 0, 0,
                             "a folder: only cobra histories are folders"};
        }
        return settle(read_cobra(path), path, Format::cobra, format.has_value());
    }
    auto file = MappedFile::open(path);
    if (!file) {
        return file.error();
    }
    return read_source({path, file->text(), &*file}, format);
}

ReadResult<ReadHistory> read_history_text(std::string_view text, const std::string& name,
                                          std::optional<Format> format) {
    return read_source({name, text, nullptr}, format);
}

}  // namespace isotap::history

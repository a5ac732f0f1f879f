#include "protocol/postgres/instrument/copy_lines.hpp"

namespace isotap::postgres::instrument {

namespace {

/// What stands behind a backslash in the text format for a byte that would be hard to read.
char unescaped(char letter) noexcept {
    switch (letter) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case 'v': return '\v';
        default: return letter;
    }
}

}  // namespace

CopyLines::CopyLines(const CopyFormat& format, std::size_t kept, std::size_t added)
    : format_(format),
      kept_(kept),
      added_(added),
      csv_(format.kind == CopyFormat::Kind::csv),
      minds_dot_(csv_ && kept == 1 && format.null != dot),
      names_(format.header),
      matches_(minds_dot_) {
    const auto mark = [this](char byte) { special_[static_cast<unsigned char>(byte)] = true; };
    mark('\n');
    mark(format_.delimiter);
    mark(csv_ ? format_.quote : '\\');
    mark(csv_ ? format_.escape : '\\');
    quoted_dot_ = format_.quote;
    for (const char byte : dot) {
        quoted_dot_.append(byte == format_.escape ? 2 : 1, byte);
    }
    quoted_dot_ += format_.quote;
}

CopyStep CopyLines::next(std::vector<Bytes>& out) {
    for (;;) {
        if (ended_) {
            ended_ = false;
            values_.clear();
        }
        skip_plain();
        if (at_ == input_.size()) {
            drain(out);
            return CopyStep::drained;
        }
        const char byte = static_cast<char>(input_[at_]);
        const Meaning what = meaning(byte);
        if (column_ < kept_) {
            if (what == Meaning::end) {
                return CopyStep::strange;
            }
            if (what == Meaning::delimiter && ++column_ == kept_) {
                end_client_part(out);
                continue;
            }
            match_dot(byte, out);
        } else if (what == Meaning::end) {
            const bool row = !names_;
            const bool understood = names_ || split();
            end_row(out);
            if (!understood) {
                return CopyStep::strange;
            }
            if (row) {
                return CopyStep::row;
            }
            continue;
        }
        ++at_;
    }
}

CopyLines::Meaning CopyLines::meaning(char byte) noexcept {
    if (escaped_) {
        escaped_ = false;
        return Meaning::inside;
    }
    if (quoted_ || !csv_) {
        if (byte == (csv_ ? format_.escape : '\\') && (!csv_ || format_.escape != format_.quote)) {
            escaped_ = true;
            return Meaning::inside;
        }
        if (quoted_) {
            quoted_ = byte != format_.quote;
            return Meaning::inside;
        }
    } else if (byte == format_.quote) {
        quoted_ = true;  // a doubled one ends what is in quotes, and begins it again
        return Meaning::inside;
    }
    if (byte == '\n') {
        return Meaning::end;
    }
    return byte == format_.delimiter ? Meaning::delimiter : Meaning::inside;
}

void CopyLines::skip_plain() noexcept {
    if (escaped_ || matches_) {
        return;
    }
    while (at_ < input_.size() && !special_[input_[at_]]) {
        ++at_;
    }
}

/// A byte of the client's more. Those that may be `dot` go on when it is clear that they are not.
void CopyLines::match_dot(char byte, std::vector<Bytes>& out) {
    if (!matches_) {
        return;
    }
    if (matched_ < dot.size() && byte == dot[matched_]) {
        ++matched_;
        return;
    }
    matches_ = false;
    if (held_ > 0) {
        out.push_back(held());
        held_ = 0;
    }
}

void CopyLines::keep(std::size_t end, std::vector<Bytes>& out) const {
    if (end > begin_) {
        out.push_back(input_.subspan(begin_, end - begin_));
    }
}

/// At the delimiter behind it, which goes with our columns.
void CopyLines::end_client_part(std::vector<Bytes>& out) {
    if (matches_ && matched_ == dot.size()) {
        keep(at_ - (matched_ - held_), out);
        out.push_back(as_bytes(quoted_dot_));
    } else {
        if (held_ > 0) {
            out.push_back(held());
        }
        keep(at_, out);
    }
    matches_ = false;
    held_ = 0;
    begin_ = ++at_;
}

/// At the line break, which is the client's.
void CopyLines::end_row(std::vector<Bytes>& out) {
    ended_ = true;
    names_ = false;
    column_ = 0;
    matches_ = minds_dot_;
    matched_ = 0;
    begin_ = at_++;
    if (kept_ == 0) {
        keep(at_, out);
        begin_ = at_;
    }
}

void CopyLines::drain(std::vector<Bytes>& out) {
    if (column_ == kept_) {
        values_.append(input_.subspan(begin_));
    } else if (matches_) {
        keep(at_ - (matched_ - held_), out);
        held_ = matched_;
    } else {
        keep(at_, out);
    }
    input_ = {};
    at_ = 0;
    begin_ = 0;
}

/// Our part of the line, up to where we are, as values; they take the place of the bytes that they
/// are made of.
bool CopyLines::split() {
    values_.append(input_.subspan(begin_, at_ - begin_));
    if (values_.too_long()) {
        return true;
    }
    std::size_t from = 0;
    std::size_t to = 0;
    for (std::size_t i = 0; i < added_; ++i) {
        if (i > 0 && ++from > values_.bytes().size()) {
            return false;  // behind the last delimiter
        }
        if (!(csv_ ? split_csv(from, to) : split_text(from, to))) {
            return false;
        }
    }
    return from == values_.bytes().size();
}

/// One value from `from` on, up to a delimiter or the end, written at `to`.
bool CopyLines::split_text(std::size_t& from, std::size_t& to) {
    std::string& bytes = values_.bytes();
    const std::size_t first = from;
    const std::size_t written = to;
    for (; from < bytes.size() && bytes[from] != format_.delimiter; ++from) {
        const bool escape = bytes[from] == '\\';
        if (escape && ++from == bytes.size()) {
            return false;
        }
        // One that is NULL would come out as N.
        bytes[to++] = escape ? unescaped(bytes[from]) : bytes[from];
    }
    constexpr std::size_t null_size = 2;
    const bool null = from - first == null_size && to - written == 1 && bytes[from - 1] == 'N';
    values_.fields().push_back(
        {null ? std::string_view{} : std::string_view(bytes).substr(written, to - written), null});
    return true;
}

bool CopyLines::split_csv(std::size_t& from, std::size_t& to) {
    std::string& bytes = values_.bytes();
    const std::size_t first = from;
    const std::size_t written = to;
    const bool quoted = from < bytes.size() && bytes[from] == format_.quote;
    if (!quoted) {
        from = std::min(bytes.find(format_.delimiter, from), bytes.size());
        const std::string_view value = std::string_view(bytes).substr(first, from - first);
        const bool null = value == format_.null;
        values_.fields().push_back({null ? std::string_view{} : value, null});
        to = from;
        return true;
    }
    for (++from;; ++from) {
        if (from >= bytes.size()) {
            return false;
        }
        const bool more = from + 1 < bytes.size() &&
                          (bytes[from + 1] == format_.quote || bytes[from + 1] == format_.escape);
        if (bytes[from] == format_.escape && more) {
            ++from;
        } else if (bytes[from] == format_.quote) {
            break;
        }
        bytes[to++] = bytes[from];
    }
    ++from;
    values_.fields().push_back({std::string_view(bytes).substr(written, to - written), false});
    return from == bytes.size() || bytes[from] == format_.delimiter;
}

}  // namespace isotap::postgres::instrument

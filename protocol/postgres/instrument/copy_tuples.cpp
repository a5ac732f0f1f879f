#include "protocol/postgres/instrument/copy_tuples.hpp"

#include <algorithm>

#include "isotap/base/byte_reader.hpp"

namespace isotap::postgres::instrument {

namespace {

constexpr std::array<std::uint8_t, 2> end_of_rows{0xff, 0xff};

}  // namespace

CopyTuples::CopyTuples(std::size_t kept, std::size_t added)
    : kept_(kept),
      added_(added),
      kept_count_{static_cast<std::uint8_t>(kept >> 8U), static_cast<std::uint8_t>(kept)} {}

CopyStep CopyTuples::next(std::vector<Bytes>& out) {
    row_ended_ = false;
    while (at_ < input_.size()) {
        if (!step(out)) {
            return CopyStep::strange;
        }
        if (row_ended_) {
            set_fields();
            return CopyStep::row;
        }
    }
    if (!hides()) {
        keep(out);
    }
    feed({});
    return CopyStep::drained;
}

bool CopyTuples::step(std::vector<Bytes>& out) {
    switch (stage_) {
        case Stage::signature:
            if (skip()) {
                stage_ = Stage::extension_size;
            }
            return true;
        case Stage::extension_size:
            if (read_number(sizeof(std::uint32_t))) {
                left_ = ByteReader(Bytes(number_)).be32();
                stage_ = Stage::extension;
                left_ == 0 ? begin_rows(out) : void();
            }
            return true;
        case Stage::extension:
            if (skip()) {
                begin_rows(out);
            }
            return true;
        case Stage::count: return !read_number(sizeof(std::uint16_t)) || on_count(out);
        case Stage::length: return !read_number(sizeof(std::uint32_t)) || on_length(out);
        case Stage::value:
            if (hides()) {
                values_.append(input_.subspan(at_, std::min(left_, input_.size() - at_)));
            }
            if (skip()) {
                end_value(out);
            }
            return true;
        case Stage::end: break;
    }
    return false;
}

/// True when all of it has come.
bool CopyTuples::read_number(std::size_t size) noexcept {
    while (number_size_ < size && at_ < input_.size()) {
        number_[number_size_++] = input_[at_++];
    }
    const bool whole = number_size_ == size;
    number_size_ = whole ? 0 : number_size_;
    return whole;
}

/// True when nothing is left of it.
bool CopyTuples::skip() noexcept {
    const std::size_t taken = std::min(left_, input_.size() - at_);
    at_ += taken;
    left_ -= taken;
    return left_ == 0;
}

/// What comes now is not the client's as it is.
bool CopyTuples::hides() const noexcept {
    const bool of_value = stage_ == Stage::length || stage_ == Stage::value;
    return stage_ == Stage::count || (of_value && column_ >= kept_);
}

void CopyTuples::keep(std::vector<Bytes>& out) {
    if (at_ > begin_) {
        out.push_back(input_.subspan(begin_, at_ - begin_));
    }
    begin_ = at_;
}

void CopyTuples::begin_rows(std::vector<Bytes>& out) {
    keep(out);
    stage_ = Stage::count;
}

bool CopyTuples::on_count(std::vector<Bytes>& out) {
    const std::size_t count = ByteReader(Bytes(number_)).be16();
    begin_ = at_;
    if (count == 0xffffU) {
        out.emplace_back(end_of_rows);
        stage_ = Stage::end;
        return true;
    }
    out.emplace_back(kept_count_);
    column_ = 0;
    values_.clear();
    ours_.clear();
    stage_ = Stage::length;
    return count == kept_ + added_;
}

bool CopyTuples::on_length(std::vector<Bytes>& out) {
    constexpr std::uint32_t null_value = 0xffff'ffff;
    constexpr std::uint32_t length_max = 0x7fff'ffff;
    const std::uint32_t length = ByteReader(Bytes(number_)).be32();
    const bool null = length == null_value;
    left_ = null ? 0 : length;
    if (hides()) {
        ours_.push_back({0, null});
    }
    stage_ = Stage::value;
    left_ == 0 ? end_value(out) : void();
    return null || length <= length_max;
}

void CopyTuples::end_value(std::vector<Bytes>& out) {
    if (hides()) {
        ours_.back().end = values_.bytes().size();
    }
    stage_ = Stage::length;
    ++column_;
    if (column_ == kept_) {
        keep(out);
    } else if (column_ == kept_ + added_) {
        stage_ = Stage::count;
        row_ended_ = true;
    }
}

void CopyTuples::set_fields() {
    std::size_t begin = 0;
    for (const Value& value : ours_) {
        const std::string_view bytes = std::string_view(values_.bytes());
        values_.fields().push_back({bytes.substr(begin, value.end - begin), value.null});
        begin = value.end;
    }
}

}  // namespace isotap::postgres::instrument

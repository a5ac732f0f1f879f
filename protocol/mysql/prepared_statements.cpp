#include "protocol/mysql/prepared_statements.hpp"

#include "protocol/mysql/request.hpp"

namespace isotap::mysql {

void PreparedStatements::add(std::uint32_t id, std::string_view text, bool cut) {
    remove(id);
    newest_ = id;
    if (texts_.size() >= statements_max_) {
        return;
    }
    if (bytes_ + text.size() > bytes_max_) {
        text = {};
        cut = true;
    }
    bytes_ += text.size();
    texts_.emplace(id, Text{std::string(text), cut});
}

void PreparedStatements::remove(std::uint32_t id) noexcept {
    const auto found = texts_.find(id);
    if (found != texts_.end()) {
        bytes_ -= found->second.text.size();
        texts_.erase(found);
    }
}

void PreparedStatements::clear() noexcept {
    texts_.clear();
    bytes_ = 0;
}

const PreparedStatements::Text* PreparedStatements::find(std::uint32_t id) const noexcept {
    const auto found = texts_.find(id == last_prepared ? newest_ : id);
    return found == texts_.end() ? nullptr : &found->second;
}

}  // namespace isotap::mysql

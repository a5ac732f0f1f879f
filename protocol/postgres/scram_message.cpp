#include "protocol/postgres/scram_message.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace isotap::postgres::scram {

namespace {

/// A cursor over `name=value` attributes that are divided by commas.
class Attributes {
  public:
    explicit Attributes(std::string_view text) noexcept : rest_(text) {
        ok_ = text.size() <= message_bytes_max && text.find('\0') == std::string_view::npos;
    }

    /// The value of the next one, which must have that name and must not be empty.
    std::string_view value(char name) noexcept {
        if (!ok_ || ended_ || rest_.size() < 3 || rest_[0] != name || rest_[1] != '=') {
            ok_ = false;
            return {};
        }
        const std::size_t comma = std::min(rest_.find(','), rest_.size());
        const std::string_view found = rest_.substr(2, comma - 2);
        ended_ = comma == rest_.size();
        rest_.remove_prefix(ended_ ? comma : comma + 1);
        ok_ = !found.empty();
        return found;
    }

    /// The user name, which PostgreSQL ignores and libpq leaves empty.
    void skip_name() noexcept {
        const std::size_t comma = rest_.find(',');
        ok_ = ok_ && rest_.starts_with("n=") && comma != std::string_view::npos;
        rest_.remove_prefix(ok_ ? comma + 1 : 0);
    }

    [[nodiscard]] bool ok() const noexcept { return ok_; }
    [[nodiscard]] bool ended() const noexcept { return ok_ && ended_; }

  private:
    std::string_view rest_;
    bool ok_ = false;
    bool ended_ = false;
};

bool is_nonce(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c >= 0x21 && c <= 0x7e && c != ','; });
}

std::optional<Digest> digest_of(std::string_view base64) {
    const auto bytes = from_base64(base64);
    return bytes ? Digest::of(*bytes) : std::nullopt;
}

}  // namespace

std::optional<ClientFirst> ClientFirst::decode(std::string_view text) noexcept {
    if (!text.starts_with(bound_header)) {
        return std::nullopt;
    }
    const std::string_view bare = text.substr(bound_header.size());
    Attributes attributes(bare);
    attributes.skip_name();
    const std::string_view nonce = attributes.value('r');
    // What may follow are extensions; the server knows none and reads over them.
    if (!attributes.ok() || text.size() > message_bytes_max || !is_nonce(nonce)) {
        return std::nullopt;
    }
    return ClientFirst{bare, nonce};
}

std::optional<ServerFirst> ServerFirst::decode(std::string_view text) {
    Attributes attributes(text);
    const std::string_view nonce = attributes.value('r');
    const std::string_view salt = attributes.value('s');
    const std::string_view count = attributes.value('i');
    if (!attributes.ended() || !is_nonce(nonce)) {
        return std::nullopt;
    }
    std::uint32_t iterations = 0;
    const auto [end, error] =
        std::from_chars(count.data(), count.data() + count.size(), iterations);
    constexpr auto most = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
    if (error != std::errc{} || end != count.data() + count.size() || iterations == 0 ||
        iterations > most) {
        return std::nullopt;
    }
    auto salt_bytes = from_base64(salt);
    if (!salt_bytes) {
        return std::nullopt;
    }
    return ServerFirst{nonce, *std::move(salt_bytes), iterations};
}

std::optional<ClientFinal> ClientFinal::decode(std::string_view text) {
    constexpr std::string_view proof_begin = ",p=";
    const std::size_t at = text.rfind(proof_begin);
    if (at == std::string_view::npos || text.size() > message_bytes_max) {
        return std::nullopt;
    }
    const std::string_view without_proof = text.substr(0, at);
    Attributes attributes(without_proof);
    const std::string_view binding = attributes.value('c');
    const std::string_view nonce = attributes.value('r');
    if (!attributes.ok()) {
        return std::nullopt;
    }
    auto bytes = from_base64(binding);
    const auto proof = digest_of(text.substr(at + proof_begin.size()));
    if (!bytes || !proof) {
        return std::nullopt;
    }
    return ClientFinal{without_proof, *std::move(bytes), nonce, *proof};
}

std::optional<ServerFinal> ServerFinal::decode(std::string_view text) {
    Attributes attributes(text);
    const auto signature = digest_of(attributes.value('v'));
    if (!attributes.ended() || !signature) {
        return std::nullopt;
    }
    return ServerFinal{*signature};
}

}  // namespace isotap::postgres::scram

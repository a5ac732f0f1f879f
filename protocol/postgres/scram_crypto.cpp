#include "protocol/postgres/scram_crypto.hpp"

#include <algorithm>
#include <cassert>
#include <new>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace isotap::postgres::scram {

namespace {

void require(bool computed) {
    if (!computed) {
        throw std::bad_alloc();
    }
}

bool is_base64_digit(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
}

}  // namespace

Digest::~Digest() {
    OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

std::optional<Digest> Digest::of(Bytes bytes) noexcept {
    if (bytes.size() != size) {
        return std::nullopt;
    }
    Digest digest;
    std::copy(bytes.begin(), bytes.end(), digest.bytes_.begin());
    return digest;
}

Digest sha256(Bytes bytes) {
    Digest digest;
    require(EVP_Digest(bytes.data(), bytes.size(), digest.bytes().data(), nullptr, EVP_sha256(),
                       nullptr) == 1);
    return digest;
}

Digest hmac(const Digest& key, std::string_view text) {
    Digest digest;
    const Bytes message = as_bytes(text);
    require(HMAC(EVP_sha256(), key.bytes().data(), static_cast<int>(Digest::size), message.data(),
                 message.size(), digest.bytes().data(), nullptr) != nullptr);
    return digest;
}

Digest exclusive_or(const Digest& a, const Digest& b) noexcept {
    Digest result;
    std::transform(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), result.bytes().begin(),
                   [](std::uint8_t x, std::uint8_t y) { return static_cast<std::uint8_t>(x ^ y); });
    return result;
}

Digest salted_password(std::string_view password, Bytes salt, std::uint32_t iterations) {
    assert(iterations >= 1);
    Digest digest;
    require(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), salt.data(),
                              static_cast<int>(salt.size()), static_cast<int>(iterations),
                              EVP_sha256(), static_cast<int>(Digest::size),
                              digest.bytes().data()) == 1);
    return digest;
}

bool equal(Bytes a, Bytes b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string to_base64(Bytes bytes) {
    // One more than the text: the library ends it with a NUL.
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(),
                                       static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') {
        ++padding;
    }
    // The library forgives white space and counts padding as zeros: neither may reach it unseen.
    const std::string_view digits = text.substr(0, text.size() - padding);
    if (text.size() % 4 != 0 || !std::all_of(digits.begin(), digits.end(), is_base64_digit)) {
        return std::nullopt;
    }
    std::vector<std::uint8_t> bytes(text.size() / 4 * 3);
    const int length =
        EVP_DecodeBlock(bytes.data(), as_bytes(text).data(), static_cast<int>(text.size()));
    if (length < 0) {
        return std::nullopt;
    }
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

}  // namespace isotap::postgres::scram

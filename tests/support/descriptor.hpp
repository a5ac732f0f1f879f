#pragma once

#include <unistd.h>
#include <utility>

namespace isotap::test {

/// Owns a file descriptor; closes it once.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) noexcept : number_(number) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = other.release();
        }
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }

    int release() noexcept { return std::exchange(number_, -1); }

    void reset() noexcept {
        if (number_ >= 0) close(release());
    }

  private:
    int number_ = -1;
};

}  // namespace isotap::test

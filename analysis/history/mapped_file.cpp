#include "analysis/history/mapped_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace isotap::history {

namespace {

constexpr std::size_t release_step = std::size_t{64} << 20;

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    [[nodiscard]] int number() const { return number_; }

  private:
    int number_;
};

ReadError unreadable(const std::string& path) {
    return {ReadErrorKind::unreadable, path, 0, 0, std::generic_category().message(errno)};
}

bool read_all(int descriptor, std::string& into) {
    constexpr std::size_t chunk = 1 << 16;
    for (;;) {
        const std::size_t had = into.size();
        into.resize(had + chunk);
        const ssize_t got = ::read(descriptor, into.data() + had, chunk);
        into.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got == 0) {
            return true;
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
    }
}

}  // namespace

ReadResult<MappedFile> MappedFile::open(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
        return unreadable(path);
    }
    MappedFile opened;
    if (!S_ISREG(status.st_mode)) {
        if (!read_all(file.number(), opened.read_)) {
            return unreadable(path);
        }
        return opened;
    }
    opened.size_ = static_cast<std::size_t>(status.st_size);
    if (opened.size_ == 0) {
        return opened;
    }
    void* mapping = ::mmap(nullptr, opened.size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (mapping == MAP_FAILED) {
        return unreadable(path);
    }
    opened.mapping_ = static_cast<char*>(mapping);
    ::madvise(mapping, opened.size_, MADV_SEQUENTIAL);
    return opened;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      released_(std::exchange(other.released_, 0)),
      read_(std::move(other.read_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(size_, other.size_);
    std::swap(released_, other.released_);
    std::swap(read_, other.read_);
    return *this;
}

MappedFile::~MappedFile() {
    if (mapping_ != nullptr) {
        ::munmap(mapping_, size_);
    }
}

void MappedFile::done_before(std::size_t offset) noexcept {
    if (mapping_ == nullptr || offset < released_ + release_step) {
        return;
    }
    const std::size_t until = offset / release_step * release_step;
    ::madvise(mapping_ + released_, until - released_, MADV_DONTNEED);
    released_ = until;
}

}  // namespace isotap::history

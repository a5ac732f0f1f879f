#pragma once

#include <string>
#include <string_view>

#include "analysis/history/read_error.hpp"

namespace isotap::history {

/// A file of any size as one view. Regular files are mapped, so that 10 GB need no memory of ours;
/// pipes are read whole. The view lives as long as the object. Not thread-safe; movable.
class MappedFile {
  public:
    static ReadResult<MappedFile> open(const std::string& path);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    [[nodiscard]] std::string_view text() const noexcept {
        return mapping_ != nullptr ? std::string_view(mapping_, size_) : std::string_view(read_);
    }

    /// Says that what lies before `offset` is not needed soon: the kernel may take the pages back.
    /// They still can be read.
    void done_before(std::size_t offset) noexcept;

  private:
    MappedFile() = default;

    char* mapping_ = nullptr;
    std::size_t size_ = 0;
    std::size_t released_ = 0;
    std::string read_;
};

}  // namespace isotap::history

#include "tests/support/certificates.hpp"

#include <utility>

#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

void openssl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "openssl");
    run_or_throw({.arguments = std::move(arguments)});
}

void make_key(const std::filesystem::path& path) {
    openssl({"ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path.string()});
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace

CertificateAuthority::CertificateAuthority(std::filesystem::path folder)
    : folder_(std::move(folder)), root_{folder_ / "root.crt", folder_ / "root.key"} {
    std::filesystem::create_directories(folder_);
    make_key(root_.key);
    openssl({"req", "-x509", "-new", "-key", root_.key.string(), "-subj", "/CN=isotap test root",
             "-days", "1", "-out", root_.certificate.string()});
}

Certificate CertificateAuthority::issue(const std::string& common_name,
                                        std::optional<User> owner) const {
    Certificate made{folder_ / (common_name + ".crt"), folder_ / (common_name + ".key")};
    const std::filesystem::path request = folder_ / (common_name + ".csr");
    const std::filesystem::path names = folder_ / (common_name + ".ext");
    make_key(made.key);
    openssl({"req", "-new", "-key", made.key.string(), "-subj", "/CN=" + common_name, "-out",
             request.string()});
    write_file(names, "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
    openssl({"x509", "-req", "-in", request.string(), "-CA", root_.certificate.string(), "-CAkey",
             root_.key.string(), "-CAcreateserial", "-days", "1", "-extfile", names.string(),
             "-out", made.certificate.string()});
    if (owner) give_to(*owner, folder_);
    return made;
}

}  // namespace isotap::test

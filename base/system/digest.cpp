#include "base/system/digest.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "base/system/check.hpp"
#include "base/system/files.hpp"

namespace ringmark {
namespace {

class Sha256 {
 public:
  Sha256() { require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1); }

  void add(std::string_view bytes) { require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }

  std::string digest() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned length = 0;
    require(EVP_DigestFinal_ex(context_.get(), hash.data(), &length) == 1);
    return fmt::format("{:02x}", fmt::join(hash.begin(), hash.begin() + length, ""));
  }

 private:
  static void require(bool works) {
    if (!works) throw std::runtime_error("OpenSSL cannot compute a SHA-256");
  }

  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.digest();
}

std::string sha256_of(const std::string& path) { return PartDigests(path).next(UINT64_MAX); }

PartDigests::PartDigests(std::string path, std::uint64_t begin)
    : path_(std::move(path)), file_(open_regular(path_)), at_(begin) {}

std::string PartDigests::next(std::uint64_t bytes) {
  Sha256 sum;
  std::vector<char> buffer(1U << 16U);
  while (bytes > 0) {
    const auto wanted = std::min<std::uint64_t>(bytes, buffer.size());
    const auto length = check_sys(
        retry_interrupted([&] { return ::pread(file_.get(), buffer.data(), wanted, static_cast<off_t>(at_)); }),
        "read {}", path_);
    if (length == 0) break;
    sum.add({buffer.data(), static_cast<std::size_t>(length)});
    at_ += static_cast<std::uint64_t>(length);
    bytes -= static_cast<std::uint64_t>(length);
  }
  return sum.digest();
}

}  // namespace ringmark

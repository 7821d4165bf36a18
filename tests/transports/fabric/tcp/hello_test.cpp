#include "transports/fabric/tcp/hello.hpp"

#include <gtest/gtest.h>

namespace ringmark {
namespace {

std::span<const unsigned char> as_bytes(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

const Hello notice{HelloKind::abort, 3, 7, 9, 2, 0};

TEST(Hello, is_read_as_it_was_written_and_proves_the_token) {
  const auto token = RunToken::random();
  const auto wire = write_hello(notice, "lost", token);
  ASSERT_EQ(wire.size(), hello_bytes + 4);
  auto expected = notice;
  expected.text_bytes = 4;
  EXPECT_EQ(read_hello(as_bytes(wire)), expected);
  EXPECT_TRUE(proof_of(as_bytes(wire), token));
  EXPECT_FALSE(proof_of(as_bytes(wire), RunToken::random()));
}

TEST(Hello, proves_nothing_once_any_byte_was_changed) {
  const auto token = RunToken::random();
  const auto wire = write_hello(notice, "lost rank 2", token);
  for (std::size_t i = 0; i < wire.size(); ++i) {
    auto forged = wire;
    forged[i] = static_cast<char>(forged[i] ^ 1);
    EXPECT_FALSE(proof_of(as_bytes(forged), token)) << "byte " << i;
  }
  EXPECT_FALSE(proof_of(as_bytes(wire).first(wire.size() - 1), token));
  EXPECT_FALSE(proof_of(as_bytes(wire + "x"), token));
}

TEST(Hello, shows_a_listener_nothing_of_the_token_and_is_never_said_twice) {
  const auto token = RunToken::random();
  const auto wire = write_hello(notice, "", token);
  const auto welcome = write_welcome(proof_of(as_bytes(wire), token).value(), token);
  const std::string heard = wire + std::string(welcome.begin(), welcome.end());
  constexpr std::size_t part = 8;
  for (std::size_t i = 0; i + part <= token.bytes.size(); ++i) {
    const std::string of_token(token.bytes.begin() + static_cast<std::ptrdiff_t>(i),
                               token.bytes.begin() + static_cast<std::ptrdiff_t>(i + part));
    EXPECT_EQ(heard.find(of_token), std::string::npos);
  }
  EXPECT_NE(wire, write_hello(notice, "", token));
}

TEST(RunToken, mixed_with_a_secret_is_another_for_those_who_do_not_know_it) {
  const auto token = RunToken::random();
  const auto wire = write_hello(notice, "", token.mixed_with("secret"));
  EXPECT_TRUE(proof_of(as_bytes(wire), token.mixed_with("secret")));
  EXPECT_FALSE(proof_of(as_bytes(wire), token)) << "the token itself travels in clear";
  EXPECT_FALSE(proof_of(as_bytes(wire), token.mixed_with("guess")));
  EXPECT_EQ(token.mixed_with("").bytes, token.bytes);
}

TEST(Welcome, answers_one_hello_of_one_run) {
  const auto token = RunToken::random();
  const auto proof = proof_of(as_bytes(write_hello(notice, "", token)), token).value();
  const auto other = proof_of(as_bytes(write_hello(notice, "", token)), token).value();
  const auto welcome = write_welcome(proof, token);
  EXPECT_TRUE(read_welcome(welcome, proof, token));
  EXPECT_FALSE(read_welcome(welcome, other, token));
  EXPECT_FALSE(read_welcome(welcome, proof, RunToken::random()));
}

}  // namespace
}  // namespace ringmark

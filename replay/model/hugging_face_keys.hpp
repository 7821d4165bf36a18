// The keys of Hugging Face's config.json for the supported types, in transformers 4.57 and 5.24.
#pragma once

#include <optional>
#include <string_view>

#include "replay/model/config_keys.hpp"

namespace ringmark::replay {

/// Empty if no type has the key. A type ignores keys that only others have.
std::optional<KeyClass> class_of_hugging_face_key(std::string_view key);

/// Null for a key that is modelled, has no effect, or is unknown.
const UnmodelledKey* unmodelled_hugging_face_key(std::string_view key);

/// The modelled key that an unknown one was probably meant to be; empty if there is none.
std::string_view meant_hugging_face_key(std::string_view key);

}  // namespace ringmark::replay

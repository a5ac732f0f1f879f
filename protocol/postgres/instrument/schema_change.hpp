#pragma once

#include "protocol/postgres/instrument/statement_effect.hpp"

namespace isotap::postgres::instrument {

/// What CREATE does to what names mean.
StatementEffect effect_of_create(const sql::TokenList& tokens);

/// The same of ALTER, DROP, GRANT, REVOKE, IMPORT.
StatementEffect effect_of_schema_change(const sql::TokenList& tokens);

/// A table is made by SELECT … INTO; `at` is behind the word.
StatementEffect effect_of_into(const sql::TokenList& tokens, sql::TokenIndex at);

}  // namespace isotap::postgres::instrument

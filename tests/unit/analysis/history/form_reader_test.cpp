#include "analysis/history/form_reader.hpp"

#include <string>

#include <gtest/gtest.h>

namespace isotap::history {
namespace {

Atom only_atom(std::string_view text, Notation notation = Notation::edn) {
    FormReader forms(text, notation);
    Atom atom;
    EXPECT_TRUE(forms.atom(atom)) << text;
    EXPECT_TRUE(forms.at_end()) << text;
    return atom;
}

TEST(FormReader, TellsAtomsApart) {
    EXPECT_EQ(only_atom("nil").kind, Atom::Kind::nil);
    EXPECT_EQ(only_atom("-12").integer, -12);
    EXPECT_EQ(only_atom("+7").integer, 7);
    EXPECT_EQ(only_atom("12N").integer, 12);
    EXPECT_EQ(only_atom("1.5").kind, Atom::Kind::other);
    EXPECT_EQ(only_atom("99999999999999999999").kind, Atom::Kind::other);
    EXPECT_EQ(only_atom(":type").kind, Atom::Kind::word);
    EXPECT_EQ(only_atom(":type").text, "type");
    EXPECT_EQ(only_atom("\"a \\\" b\"").text, "\"a \\\" b\"");
    EXPECT_EQ(only_atom("\\[").text, "\\[");
    EXPECT_EQ(only_atom("null", Notation::json).kind, Atom::Kind::nil);
    EXPECT_EQ(only_atom("\"type\"", Notation::json).text, "type");
}

TEST(FormReader, PassesOverBlanksCommentsTagsAndDiscards) {
    EXPECT_EQ(only_atom(" , ; words\n #_ [1 [2]] #inst 5 ; end").integer, 5);
}

TEST(FormReader, AColonIsBlankInJson) {
    FormReader forms("{\"a\":1}", Notation::json);
    Atom atom;
    EXPECT_TRUE(forms.take('{'));
    EXPECT_TRUE(forms.atom(atom));
    EXPECT_TRUE(forms.atom(atom));
    EXPECT_EQ(atom.integer, 1);
    EXPECT_TRUE(forms.take('}'));
}

TEST(FormReader, SkipsWholeForms) {
    for (const std::string form :
         {"1", ":a", "\"]\"", "[1 [2 \"]\"] {:a #{1}}]", "#{1 2}", "[ ; ]\n 1]", "[\\] \\[]"}) {
        const std::string text_and_more = form + " next";
        FormReader forms(text_and_more, Notation::edn);
        std::string_view text;
        ASSERT_TRUE(forms.skip(text)) << form;
        EXPECT_EQ(text, form);
    }
}

TEST(FormReader, SaysWhereATruncatedFormBegan) {
    FormReader forms(" [1 2", Notation::edn);
    EXPECT_FALSE(forms.skip());
    EXPECT_EQ(forms.failure(), ReadErrorKind::truncated);
    EXPECT_EQ(forms.expected(), "expected the end of a form that begins at byte 1");
    EXPECT_FALSE(forms.skip()) << "a failure stays";
}

TEST(FormReader, DiscardsWithinDiscardsAreBounded) {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) {
        deep += "#_ ";
    }
    FormReader forms(deep, Notation::edn);
    forms.skip();
    EXPECT_TRUE(forms.failed());
}

}  // namespace
}  // namespace isotap::history

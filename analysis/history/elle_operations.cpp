#include "analysis/history/elle_operations.hpp"

#include <utility>

namespace isotap::history {

bool ElleOperations::read(FormReader& forms, bool observed) {
    if (!forms.expect('[', "a vector of operations")) {
        return false;
    }
    while (!forms.take(']')) {
        if (!read_one(forms, observed)) {
            return false;
        }
    }
    return true;
}

bool ElleOperations::read_one(FormReader& forms, bool observed) {
    Atom name;
    if (!forms.expect('[', "an operation: [:r key value] …") || !forms.atom(name)) {
        return false;
    }
    bool done = false;
    if (name.text == "r") {
        done = read_observation(forms, observed);
    } else if (name.text == "append") {
        done = agree(forms, saw_lists_, saw_registers_ || saw_predicates_) &&
               read_written(forms, OperationKind::append);
    } else if (name.text == "w") {
        done =
            agree(forms, saw_registers_, saw_lists_) && read_written(forms, OperationKind::write);
    } else if (name.text == "insert") {
        done =
            agree(forms, saw_predicates_, saw_lists_) && read_written(forms, OperationKind::insert);
    } else if (name.text == "delete") {
        Operation operation{initial_value, {}, OperationKind::remove};
        done = agree(forms, saw_predicates_, saw_lists_) && read_key(forms, operation.key) &&
               (forms.peek() == ']' || forms.skip());
        history_.operations.push_back(operation);
    } else if (name.text == "rp") {
        done = agree(forms, saw_predicates_, saw_lists_) && read_predicate(forms, observed);
    } else {
        return forms.fail("an operation: r, w, append, insert, delete or rp");
    }
    return done && forms.expect(']', "the end of an operation: ]");
}

bool ElleOperations::agree(FormReader& forms, bool& seen, bool excluded) {
    seen = true;
    return !excluded ||
           forms.fail("one kind of history: this one mixes appends to lists with registers");
}

bool ElleOperations::read_key(FormReader& forms, KeyId& into) {
    Value name = 0;
    if (!read_value(forms, history_.atoms, name)) {
        return false;
    }
    into = history_.atoms.key(name);
    return true;
}

bool ElleOperations::read_written(FormReader& forms, OperationKind kind) {
    Operation operation{0, {}, kind};
    if (!read_key(forms, operation.key) || !read_value(forms, history_.atoms, operation.value)) {
        return false;
    }
    history_.operations.push_back(operation);
    return true;
}

bool ElleOperations::read_observation(FormReader& forms, bool observed) {
    Operation operation;
    if (!read_key(forms, operation.key)) {
        return false;
    }
    if (forms.peek() == ']') {
        return true;  // an invocation may leave the value out
    }
    if (!observed) {
        return forms.skip();
    }
    if (forms.peek() != '[') {
        if (!read_value(forms, history_.atoms, operation.value)) {
            return false;
        }
        history_.operations.push_back(operation);
        return true;
    }
    ListPrefix list;
    if (!agree(forms, saw_lists_, saw_registers_ || saw_predicates_) ||
        !lists_.read(operation.key, forms, list)) {
        return false;
    }
    if (list.length > 0) {
        operation.kind = OperationKind::read_list;
        operation.value = History::pack(list);
    }
    history_.operations.push_back(operation);
    return true;
}

bool ElleOperations::read_pairs(FormReader& forms, std::vector<KeyAndValue>& into) {
    if (!forms.expect('{', "a map of keys and values")) {
        return false;
    }
    while (!forms.take('}')) {
        KeyAndValue pair;
        if (!read_key(forms, pair.key) || !read_value(forms, history_.atoms, pair.value)) {
            return false;
        }
        into.push_back(pair);
    }
    return true;
}

bool ElleOperations::read_predicate(FormReader& forms, bool observed) {
    PredicateObservation read;
    if (forms.take('[')) {
        Atom name;
        if (!forms.atom(name)) {
            return false;
        }
        const bool remainder = name.text == "mod";
        if (!remainder && name.text != "=") {
            return forms.fail("a predicate: :true, [:= n] or [:mod m r]");
        }
        read.kind = remainder ? PredicateKind::remainder : PredicateKind::equals;
        if (!read_value(forms, history_.atoms, read.operand) ||
            (remainder && !forms.integer(read.operand2, "a remainder")) ||
            !forms.expect(']', "the end of a predicate: ]")) {
            return false;
        }
        if (remainder && (!Atoms::is_integer(read.operand) || read.operand < 1)) {
            return forms.fail("a positive divisor");
        }
    } else {
        Atom name;
        if (!forms.atom(name)) {
            return false;
        }
        if (name.text != "true") {
            return forms.fail("a predicate: :true, [:= n] or [:mod m r]");
        }
    }
    if (!observed || forms.peek() != '{') {
        return forms.peek() == ']' || forms.skip();
    }
    if (!read_pairs(forms, read.matched)) {
        return false;
    }
    const auto number = static_cast<Value>(history_.predicate_reads.size());
    history_.predicate_reads.push_back(std::move(read));
    history_.operations.push_back({number, {}, OperationKind::predicate_read});
    return true;
}

bool ElleOperations::read_initial(FormReader& forms) {
    std::vector<KeyAndValue> state;
    if (!agree(forms, saw_predicates_, saw_lists_) || !read_pairs(forms, state)) {
        return false;
    }
    for (const KeyAndValue& pair : state) {
        history_.operations.push_back({pair.value, pair.key, OperationKind::insert});
    }
    return true;
}

void ElleOperations::settle_model() noexcept {
    if (saw_predicates_) {
        history_.model = HistoryModel::predicates;
    } else if (saw_lists_) {
        history_.model = HistoryModel::lists;
    }
}

}  // namespace isotap::history

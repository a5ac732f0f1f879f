#include "tests/integration/mysqltest_script.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

namespace isotap::sql {
namespace {

std::string first_word(const std::string& text) {
    std::string word;
    for (const char letter : text) {
        if (std::isalpha(static_cast<unsigned char>(letter)) == 0 && letter != '_') {
            break;
        }
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return word;
}

bool belongs_to_the_driver(const std::string& statement) {
    static const std::set<std::string> commands{"append_file",
                                                "cat_file",
                                                "change_user",
                                                "chmod",
                                                "connect",
                                                "connection",
                                                "copy_file",
                                                "dec",
                                                "delimiter",
                                                "die",
                                                "diff_files",
                                                "dirty_close",
                                                "disable_abort_on_error",
                                                "disable_connect_log",
                                                "disable_info",
                                                "disable_metadata",
                                                "disable_parsing",
                                                "disable_ps_protocol",
                                                "disable_query_log",
                                                "disable_reconnect",
                                                "disable_result_log",
                                                "disable_rpl_parse",
                                                "disable_warnings",
                                                "disconnect",
                                                "echo",
                                                "enable_connect_log",
                                                "enable_info",
                                                "enable_metadata",
                                                "enable_parsing",
                                                "enable_ps_protocol",
                                                "enable_query_log",
                                                "enable_reconnect",
                                                "enable_result_log",
                                                "enable_warnings",
                                                "error",
                                                "eval",
                                                "exec",
                                                "exit",
                                                "file_exists",
                                                "horizontal_results",
                                                "inc",
                                                "let",
                                                "list_files",
                                                "lowercase_result",
                                                "mkdir",
                                                "move_file",
                                                "perl",
                                                "ping",
                                                "query",
                                                "query_vertical",
                                                "reap",
                                                "real_sleep",
                                                "remove_file",
                                                "replace_column",
                                                "replace_regex",
                                                "replace_result",
                                                "require",
                                                "reset_connection",
                                                "result",
                                                "rmdir",
                                                "save_master_pos",
                                                "send",
                                                "send_quit",
                                                "shutdown_server",
                                                "skip",
                                                "sleep",
                                                "sorted_result",
                                                "source",
                                                "start_timer",
                                                "sync_slave_with_master",
                                                "sync_with_master",
                                                "system",
                                                "vertical_results",
                                                "wait_for_slave_to_stop",
                                                "write_file"};
    return commands.count(first_word(statement)) != 0;
}

std::string trimmed(const std::string& line) {
    const std::size_t from = line.find_first_not_of(" \t\r\n");
    const std::size_t to = line.find_last_not_of(" \t\r\n");
    return from == std::string::npos ? "" : line.substr(from, to - from + 1);
}

bool opens_or_closes_a_block(const std::string& line) {
    return line == "{" || line == "}" || line.rfind("if (", 0) == 0 || line.rfind("if(", 0) == 0 ||
           line.rfind("while (", 0) == 0 || line.rfind("while(", 0) == 0;
}

}  // namespace

std::vector<std::string> statements_of_mysqltest(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::string> statements;
    std::string delimiter = ";";
    std::string pending;
    for (std::string line; std::getline(file, line);) {
        const std::string bare = trimmed(line);
        const bool between = trimmed(pending).empty();
        if (bare.rfind("--delimiter ", 0) == 0) {
            delimiter = trimmed(bare.substr(12));
            continue;
        }
        if (between && (bare.empty() || bare[0] == '#' || bare.rfind("--", 0) == 0 ||
                        opens_or_closes_a_block(bare))) {
            continue;
        }
        pending += line + "\n";
        const bool ends =
            bare.size() >= delimiter.size() &&
            bare.compare(bare.size() - delimiter.size(), delimiter.size(), delimiter) == 0;
        if (!ends) {
            continue;
        }
        std::string statement = trimmed(pending);
        statement = trimmed(statement.substr(0, statement.size() - delimiter.size()));
        pending.clear();
        if (first_word(statement) == "delimiter") {
            delimiter = trimmed(statement.substr(9));
        } else if (!statement.empty() && !belongs_to_the_driver(statement)) {
            statements.push_back(statement);
        }
    }
    return statements;
}

}  // namespace isotap::sql

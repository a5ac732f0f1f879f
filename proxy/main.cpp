#include <cstdio>

#include "isotap/proxy/version.hpp"

int main() {
    std::printf("isotap %s\n", isotap::proxy::version().data());
    return 0;
}

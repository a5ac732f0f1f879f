// Runs tests one after the other and prints a verdict for each, as the other suites do. What came
// back is part of the verdict: it has to be the same, row by row.
module.exports = async (tests) => {
    let failed = 0;
    for (const [name, test] of Object.entries(tests)) {
        let verdict;
        try {
            verdict = `passed with ${JSON.stringify(await test())}`;
        } catch (error) {
            verdict = `failed: ${error.message}`;
            ++failed;
        }
        console.log(`verdict: ${name.replaceAll(' ', '_')} ${verdict}`);
    }
    process.exitCode = failed ? 1 : 0;
};

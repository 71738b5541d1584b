// Prints the memory that is used after each test file, which Jest runs in this process.
module.exports = class {
  sizes = [];
  onTestFileResult() {
    for (let round = 0; round < 3; round++) globalThis.gc();
    this.sizes.push(process.memoryUsage().heapUsed);
  }
  onRunComplete(_contexts, { numFailedTests, numPassedTests }) {
    console.log(JSON.stringify({ numFailedTests, numPassedTests, sizes: this.sizes }));
  }
};

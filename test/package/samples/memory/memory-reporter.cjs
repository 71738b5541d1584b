const { setImmediate: nextTurn } = require("node:timers/promises");

// Prints the memory that is used after each test file, which Jest runs in this process.
module.exports = class {
  sizes = [];
  async onTestFileResult() {
    // What a file leaves is freed bit by bit, some of it only after a turn of the event loop.
    for (let round = 0; round < 10; round++) {
      globalThis.gc();
      await nextTurn();
    }
    this.sizes.push(process.memoryUsage().heapUsed);
  }
  onRunComplete(_contexts, { numFailedTests, numPassedTests }) {
    console.log(JSON.stringify({ numFailedTests, numPassedTests, sizes: this.sizes }));
  }
};

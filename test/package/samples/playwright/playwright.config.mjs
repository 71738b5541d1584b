const args = ["--no-sandbox", "--disable-dev-shm-usage"];

export default {
  workers: 1,
  reporter: "line",
  use: { launchOptions: { executablePath: process.env.CHROMIUM, args } },
};

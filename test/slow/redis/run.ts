/* npm run soak:redis [-- seconds]: the soak with Redis, for 30 seconds unless you say otherwise. */
import { soak } from "./soak.ts";

const seconds = Number(process.argv[2] ?? 30);
const { wrong, ...rest } = await soak({ seconds });
console.log(JSON.stringify(rest));
for (const line of wrong) console.error(line);
console.log(wrong.length === 0 ? "nothing was lost" : `${wrong.length} things went wrong`);
process.exitCode = wrong.length === 0 ? 0 : 1;

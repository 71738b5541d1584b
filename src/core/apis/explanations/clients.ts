import { header, type WithHeaders } from "../../emulator/message.ts";

const FORM = "application/x-www-form-urlencoded";

/** What sends each type if the program names none, with its User-Agent; PHP and .NET send no agent. */
const SENDERS: Readonly<Record<string, readonly (readonly [name: string, agent: RegExp | undefined])[]>> = {
  [FORM]: [
    ["curl", /^curl\//],
    ["PHP", /^PHP|Guzzle/i],
    ["Ruby", /^Ruby/],
    ["Swift", /CFNetwork|Darwin|Foundation/],
    ["Java", /^Java\//],
    ["Python's urllib", /^Python-urllib/],
    ["PowerShell", /PowerShell/],
    ["Unity", /Unity/],
    ["axios", /^axios/],
  ],
  "text/plain": [
    [".NET", undefined],
    ["fetch", /^(?:node|undici|node-fetch|Bun|Deno)\b/],
    ["Apache HttpClient", /^Apache-HttpClient/],
    ["Dart", /^Dart/],
    ["Postman", /^Postman/],
  ],
  "application/octet-stream": [
    ["Unity", /Unity/],
    ["Apache HttpClient", /^Apache-HttpClient/],
    ["aiohttp", /aiohttp/],
  ],
};

/** The clients that send a content type by default: only the one that sent this request, if its User-Agent tells. */
export function sendersOf(type: string, request: WithHeaders): string | undefined {
  const clients = SENDERS[type.trim().toLowerCase()];
  if (clients === undefined) return undefined;
  const agent = header(request, "user-agent") ?? "";
  const [sender] = clients.find(([, known]) => known?.test(agent)) ?? [];
  if (sender !== undefined) return sender;
  const names = clients.map(([name]) => name);
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

import type { ShownRequest } from "../../model.ts";

const PARTS = ["Method", "MD5 of the body", "Content type", "Date", "Path"];

function Line({ value, other }: { readonly value: string; readonly other: string | undefined }) {
  if (other === undefined || value === other)
    return <span class={value === "" ? "faint" : undefined}>{value === "" ? "(empty)" : value}</span>;
  const length = Math.min(value.length, other.length);
  let start = 0;
  while (start < length && value[start] === other[start]) start += 1;
  let end = 0;
  while (end < length - start && value.at(-1 - end) === other.at(-1 - end)) end += 1;
  return (
    <>
      {value.slice(0, start)}
      <mark>{value.slice(start, value.length - end) || "\u00a0"}</mark>
      {value.slice(value.length - end)}
    </>
  );
}

/** Both strings to sign side by side, line by line, with the difference marked. */
export function SignatureDifference({
  signature: { expected, signed },
}: {
  readonly signature: NonNullable<ShownRequest["signature"]>;
}) {
  const isRight = signed === expected;
  const expectedLines = expected.split("\n");
  const signedLines = isRight ? undefined : signed?.split("\n");
  const length = Math.max(expectedLines.length, signedLines?.length ?? 0);
  return (
    <section class="stack">
      <h3>String to sign</h3>
      <p class="faint">
        {signed === undefined
          ? "The client should have signed exactly this string:"
          : isRight
            ? "The client signed the right string:"
            : "The client signed another string than expected."}
      </p>
      <div class="card small">
        <table>
          <thead>
            <tr>
              <td />
              <th scope="col">Expected</th>
              {signedLines !== undefined && <th scope="col">Signed by the client</th>}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length }, (_, index) => {
              const [own = "", theirs] = [expectedLines[index], signedLines?.[index] ?? (signedLines && "")];
              const differs = theirs !== undefined && own !== theirs;
              return (
                <tr key={PARTS[index] ?? index} class={differs ? "differs busy" : undefined}>
                  <th scope="row" class={differs ? "tone" : "faint"}>
                    {PARTS[index] ?? ""}
                    {differs && <span class="visually-hidden"> differs</span>}
                  </th>
                  <td class="mono">
                    <Line value={own} other={theirs} />
                  </td>
                  {theirs !== undefined && (
                    <td class="mono">
                      <Line value={theirs} other={own} />
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

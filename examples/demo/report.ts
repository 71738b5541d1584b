import { styleText } from "node:util";

/** Prints the demo's steps, in colour on a terminal, and counts failed checks. */
export function createReport(output: NodeJS.WriteStream) {
  const colours = output.isTTY && process.env.NO_COLOR === undefined;
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    colours ? styleText(format, text) : text;
  const line = (text = ""): void => {
    output.write(`${text}\n`);
  };
  let steps = 0;
  let failures = 0;

  return {
    title: (name: string, what: string): void => line(`\n${style("bold", name)}: ${what}\n`),
    say: (text: string): void => line(`  ${text}`),
    detail: (text: string): void => line(`    ${style("yellow", text)}`),
    step: (text: string): void => {
      steps += 1;
      line(`\n${style(["bold", "cyan"], `${steps}. ${text}`)}`);
    },
    check: (text: string, holds: boolean): void => {
      if (!holds) failures += 1;
      line(`  ${holds ? style("green", "✓") : style("red", "✗")} ${text}`);
    },
    /** Writes a line that is drawn again; undefined: there is no terminal to draw on. */
    drawLine: output.isTTY ? (text: string): void => void output.write(text) : undefined,
    /** Returns the exit code: 0 if every check passed. */
    finish: (): number => {
      line(
        failures === 0
          ? `\n${style("green", "All checks passed.")}\n`
          : `\n${style("red", `${failures} checks failed.`)}\n`,
      );
      return failures === 0 ? 0 : 1;
    },
  };
}

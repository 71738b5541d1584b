const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAY = "(?:mon|tue|wed|thu|fri|sat|sun)";
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = "(?<hour>\\d{1,2}):(?<minute>\\d{1,2}):(?<second>\\d{1,2})";
const DAY = "(?<day>\\d{1,2})";
const YEAR = "(?<year>\\d{4})";

/** Words separated by runs of spaces, in any letter case; the weekday need not match the date. */
const form = (...words: string[]): RegExp => new RegExp(`^${words.join("\\s+")}$`, "i");

/** The only form that the target API accepts (row 13). */
export const TARGET_API_DATE_FORMS: readonly RegExp[] = [form(`${WEEKDAY},`, DAY, MONTH, YEAR, TIME, "GMT")];

/** The forms that the query API accepts, each with or without `GMT`. */
export const QUERY_DATE_FORMS: readonly RegExp[] = [
  [`${WEEKDAY},?`, MONTH, DAY, TIME, YEAR],
  [`${WEEKDAY},?`, DAY, MONTH, YEAR, TIME],
].flatMap((words) => [form(...words), form(...words, "GMT")]);

/** Reads a date header as GMT. Undefined when it has none of the forms, or is not a day of the calendar. */
export function parseDateHeader(value: string, forms: readonly RegExp[]): number | undefined {
  const fitting = forms.find((shape) => shape.test(value));
  const found = fitting?.exec(value)?.groups;
  if (found === undefined) return undefined;
  const { day = "", month = "", year = "", hour = "", minute = "", second = "" } = found;
  const date = new Date(0);
  // Not Date.UTC, which reads years below 100 as years of the twentieth century.
  date.setUTCFullYear(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const isInCalendar =
    Number(year) > 0 &&
    date.getUTCDate() === Number(day) &&
    date.getUTCHours() === Number(hour) &&
    date.getUTCMinutes() === Number(minute) &&
    date.getUTCSeconds() === Number(second);
  return isInCalendar ? date.getTime() : undefined;
}

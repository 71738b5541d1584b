/* Numbers, durations and sizes as text. */

export const number = (value: number): string => value.toLocaleString("en-GB");

export const count = (value: number, one: string): string =>
  `${number(value)} ${one}${value === 1 ? "" : "s"}`;

/** In the largest unit that fits, and the next smaller one unless there are none. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const both = (unit: number, name: string, smaller: number, smallerName: string) => {
    const rest = Math.floor((seconds % unit) / smaller);
    return `${Math.floor(seconds / unit)} ${name}${rest === 0 ? "" : ` ${rest} ${smallerName}`}`;
  };
  if (seconds < 3600) return both(60, "min", 1, "s");
  return seconds < 172_800 ? both(3600, "h", 60, "min") : both(86_400, "days", 3600, "h");
}

export function bytes(size: number): string {
  if (size < 1000) return count(size, "byte");
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}

export const milliseconds = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

interface PictureFacts {
  readonly format: string;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly size: number;
}

export const pictureFacts = ({ format, width, height, size }: PictureFacts): string =>
  `${format}${width == null ? "" : `, ${width} × ${height}`}, ${bytes(size)}`;

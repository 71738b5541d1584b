/* Numbers, durations and sizes as text. */

export const number = (value: number): string => value.toLocaleString("en-GB");

export const count = (value: number, one: string): string =>
  `${number(value)} ${one}${value === 1 ? "" : "s"}`;

export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.ceil(seconds % 60)} s`;
  if (seconds >= 172_800)
    return `${Math.floor(seconds / 86_400)} days ${Math.floor((seconds % 86_400) / 3600)} h`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
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

/** The lines that name the invalid settings; none if all are valid. */
export function wrongLines(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof Error && error.name === "InvalidSettingsError" && "lines" in error)
      return error.lines as readonly string[];
    throw error;
  }
  return [];
}

export const attempts: string[];

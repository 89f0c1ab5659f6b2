/** Builds what is out of date and writes the package for npm into a folder, by default `dist`. Returns its path. */
export function packNpm(folder?: string): string

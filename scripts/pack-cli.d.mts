/** Writes the command line with its own Node into a folder, by default `dist`. Returns the path of the archive. */
export function packCli(folder?: string): string

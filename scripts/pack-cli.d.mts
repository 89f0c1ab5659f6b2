/** Writes the command line with a Node of its own into a folder, `dist` unless named. Returns the path of the archive. */
export function packCli(folder?: string): string

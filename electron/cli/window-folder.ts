import path from 'node:path'

/** The folder of the built window. This file is as deep as its bundle in out/cli, so the relative path is the same. */
export const windowFolder = path.join(import.meta.dirname, '..', '..', 'out', 'renderer')

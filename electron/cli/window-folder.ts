import path from 'node:path'

/** The built window. This file lies as deep as its bundle in out/cli, so that the way is the same from both. */
export const windowFolder = path.join(import.meta.dirname, '..', '..', 'out', 'renderer')

// `coffer/testing` loads the build, which starts in a third of the time, or the sources if any of them is newer.
import { builtFile } from '../built-file.mjs'

export const { startCoffer } = await import(builtFile('testing.js') ?? './start-coffer.ts')

// `coffer/testing`: what was built, which starts in a third of the time, or the sources where one of them is newer.
import { builtFile } from '../built-file.mjs'

export const { startCoffer } = await import(builtFile('testing.js') ?? './start-coffer.ts')

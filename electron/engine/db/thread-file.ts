import path from 'node:path'
import { setFlagsFromString } from 'node:v8'

const EXTENSION = path.extname(import.meta.filename)

// Worker threads read TypeScript by WebAssembly, and V8 crashes at times when it optimizes a call from there.
if (EXTENSION === '.ts') setFlagsFromString('--wasm-wrapper-tiering-budget=2000000000')

/** The program of a worker thread: a source beside its caller, or a bundle of its own beside the caller's. */
export function getThreadFile(program: string): string {
  return program + EXTENSION
}

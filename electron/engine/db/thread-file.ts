import path from 'node:path'
import { setFlagsFromString } from 'node:v8'

const EXTENSION = path.extname(import.meta.filename)

// Worker threads strip types in WebAssembly, and V8 sometimes crashes when it optimizes a call from WebAssembly. This
// budget is so high that V8 does not optimize these calls.
if (EXTENSION === '.ts') setFlagsFromString('--wasm-wrapper-tiering-budget=2000000000')

/** Returns the file of a worker thread: a source file next to its caller, or a separate bundle next to the caller's. */
export function getThreadFile(program: string): string {
  return program + EXTENSION
}

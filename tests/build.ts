import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** Builds what is out of date before tests run the built program and window. */
export default function build(): void {
  const script = path.join(import.meta.dirname, '..', 'scripts', 'build.mjs')
  execFileSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] })
}

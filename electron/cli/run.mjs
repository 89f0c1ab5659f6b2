#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --min-semi-space-size=8 --max-semi-space-size=8
// `coffer …`: runs the build, which starts in a third of the time, or the sources where any is newer.
import { builtFile, tooOld } from '../built-file.mjs'

// One arena for all threads: glibc keeps some 15 MB less of what was freed. It reads the variable when a program starts,
// so what runs for long starts again in this process. The first line cannot set it, because pnpm would run its first
// word as a program. Programs that Coffer starts are not to inherit it.
const runsLong = ['serve', 'run'].some((name) => process.argv.includes(name))
if (process.platform === 'linux' && process.env.MALLOC_ARENA_MAX === undefined && runsLong) {
  // Not in Node before 22.15.
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    MALLOC_ARENA_MAX: '1',
  })
}
delete process.env.MALLOC_ARENA_MAX

const problem = tooOld()
if (problem === null) await import(builtFile('coffer.js') ?? './coffer.ts')
else {
  process.stderr.write(`coffer: ${problem}\n`)
  process.exitCode = 1
}

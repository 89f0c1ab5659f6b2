import { vi } from 'vitest'
import { runProgram } from '../../electron/cli/run-program.ts'

type Ran = {
  readonly out: string
  /** The sentence it failed with. */
  readonly error?: string
  /** Everything on stderr. */
  readonly notes: string
  readonly code: number
}

/** Runs a command that ends by itself, in this process. */
export async function runCommandLine(...args: string[]): Promise<Ran> {
  const printed = { out: '', notes: '' }
  const into = (stream: 'stdout' | 'stderr', name: keyof typeof printed) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text, ...more: unknown[]) => {
      printed[name] += String(text)
      for (const each of more) if (typeof each === 'function') each()
      return true
    })
  const before = process.exitCode
  // A command takes its secrets out of the environment; the next one in this process finds them again.
  const env = { ...process.env }
  const spies = [into('stdout', 'out'), into('stderr', 'notes')]
  try {
    process.exitCode = undefined
    const code = await runProgram('1.2.3', args)
    const error = /^coffer: (.*)$/ms.exec(printed.notes)?.[1]?.trimEnd()
    return { ...printed, code, ...(error !== undefined && { error }) }
  } finally {
    process.exitCode = before
    Object.assign(process.env, env)
    for (const spy of spies) spy.mockRestore()
  }
}

import { vi } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { toCofferError } from '../../shared/errors.ts'

/** Runs a command that ends by itself, in this process: what it prints, or the sentence it fails with. */
export async function runCommandLine(...args: string[]): Promise<{ out: string; error?: string }> {
  const printed: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text))
    return true
  })
  try {
    await buildProgram('1.2.3').parseAsync(['node', 'coffer', ...args])
    return { out: printed.join('') }
  } catch (error) {
    return { out: printed.join(''), error: toCofferError(error).message }
  } finally {
    write.mockRestore()
  }
}

import { useEffect, useState } from 'react'

/** Where and why code cannot be compiled; lines and columns count from 1. */
export type CompileProblem = { readonly line: number; readonly column: number; readonly message: string }
export type Compile = (code: string) => Promise<CompileProblem | null>

/** How long typing pauses before the code is compiled, a little longer than before it is parsed here. */
const PAUSE_MS = 600

/** What is wrong with the code by whoever compiles it; null if nothing is, or while that is not known. */
export function useCompiled(code: string, compile: Compile | undefined): CompileProblem | null {
  const [result, setResult] = useState<{
    readonly code: string
    readonly problem: CompileProblem | null
  } | null>(null)
  useEffect(() => {
    if (!compile) return
    let isCurrent = true
    const pause = setTimeout(() => {
      compile(code).then(
        (problem) => isCurrent && setResult({ code, problem }),
        // Nothing is said of what is not known.
        () => undefined,
      )
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(pause)
    }
  }, [code, compile])
  return result?.code === code ? result.problem : null
}

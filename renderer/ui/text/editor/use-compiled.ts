import { useEffect, useState } from 'react'

/** A compile error. Lines and columns count from 1. */
export type CompileProblem = { readonly line: number; readonly column: number; readonly message: string }
export type Compile = (code: string) => Promise<CompileProblem | null>

/**
 * How long typing must pause before the code is compiled; longer than the pause after which the window parses
 * the code.
 */
const PAUSE_MS = 600

/** The compile error of the code; null if there is none or it is not known yet. */
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
        // If compiling fails for a reason other than the code, show no error.
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

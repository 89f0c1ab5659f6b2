import type { SourceLocation } from './error-location.ts'

export type CodeProblem = { readonly message: string; readonly place: SourceLocation | null }

/** Converts the vault's message about code to an error. The message contains the location. */
export function toCodeProblem(label: string, rejection: string | undefined): CodeProblem | null {
  if (rejection === undefined) return null
  const match = /line (\d+), column (\d+)/.exec(rejection)
  const place = match ? { line: Number(match[1]), column: Number(match[2]) } : null
  return { message: `${label} ${rejection}`, place }
}

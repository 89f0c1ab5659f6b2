import type { SourceLocation } from './wrong-place.ts'

/** What is wrong with code, and where, if that is known. */
export type CodeProblem = { readonly message: string; readonly place: SourceLocation | null }

/** What the vault refused, as the editor shows it: the place is named in the message. */
export function toCodeProblem(label: string, rejection: string | undefined): CodeProblem | null {
  if (rejection === undefined) return null
  const match = /line (\d+), column (\d+)/.exec(rejection)
  const place = match ? { line: Number(match[1]), column: Number(match[2]) } : null
  return { message: `${label} ${rejection}`, place }
}

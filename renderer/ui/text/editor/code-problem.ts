import type { Place } from './wrong-place.ts'

/** What is wrong with code, and where, if that is known. */
export type CodeProblem = { readonly message: string; readonly place: Place | null }

/** What the vault refused, as the editor shows it: the place is named in the message. */
export function codeProblem(label: string, refused: string | undefined): CodeProblem | null {
  if (refused === undefined) return null
  const found = /line (\d+), column (\d+)/.exec(refused)
  const place = found ? { line: Number(found[1]), column: Number(found[2]) } : null
  return { message: `${label} ${refused}`, place }
}

export type SyntaxProblem = { readonly line: number; readonly column: number; readonly message: string }

/** Compiles code without running it (rule F-01): where and why it is no JavaScript, or null. Lines and columns count from 1. */
export function syntaxProblem(_code: string): SyntaxProblem | null {
  throw new Error('not built yet')
}

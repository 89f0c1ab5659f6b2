import { invalid } from '../../../shared/errors.ts'
import { syntaxProblem } from '../../reactors/syntax-problem.ts'

/** Compiles code before it is stored (rule F-01). Throws `invalid` with line and column. */
export function checkCode(code: string, path: string): void {
  const problem = syntaxProblem(code)
  if (!problem) return
  const { line, column, message } = problem
  // SECURITY: not where the compiler's words repeat more of the code than a sign.
  const reason = /^[A-Za-z ]+( '[^\w\s'"`]{1,3}')?$/.test(message) ? `, ${message}` : ''
  throw invalid(path, `cannot be compiled: line ${line}, column ${column}${reason}`)
}

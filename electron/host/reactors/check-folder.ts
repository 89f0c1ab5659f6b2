import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { newReactor, type SyntaxProblem } from '../../../shared/schemas/reactor.ts'
import { parseInput } from '../../../shared/validation.ts'
import type { ReactorFile } from './compare.ts'
import { findCollidingNames, findFileNameProblem } from './file-name.ts'

/**
 * Finds all problems of the files in a folder, each with its location. Runs no code. Throws `unavailable` if no process
 * is available to compile the code.
 */
export async function findFolderProblems(
  folder: string,
  files: readonly ReactorFile[],
  compile: (code: string) => Promise<SyntaxProblem | null>,
): Promise<string[]> {
  const colliding = findCollidingNames(files.map(({ name }) => name))
  const problems = files.map(async (file) => {
    const place = path.join(folder, `${file.name}.js`)
    const name = findFileNameProblem(file.name)
    const syntax = await compile(file.code)
    return [
      ...(name === null ? [] : [`${place}: ${name}`]),
      ...(colliding.includes(file.name)
        ? [`${place}: on some disks, its name is the same as another file's`]
        : []),
      ...(syntax ? [`${place}:${syntax.line}:${syntax.column}: ${syntax.message}`] : []),
      ...findRejections(file).map((message) => `${place}: ${message}`),
    ]
  })
  return (await Promise.all(problems)).flat()
}

function findRejections({ name, code, configuration = {} }: ReactorFile): string[] {
  const values = Object.entries(configuration).map(([each, value]) => [each, value ?? ''])
  try {
    parseInput(newReactor, { name, code, configuration: Object.fromEntries(values) })
    return []
  } catch (error) {
    if (!(error instanceof CofferError) || !error.errors) throw error
    return Object.entries(error.errors).flatMap(([member, messages]) =>
      messages.map((each) => `${member} ${each}`),
    )
  }
}

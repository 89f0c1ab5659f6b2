import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { newReactor } from '../../../shared/schemas/reactor.ts'
import { parsed } from '../../../shared/validation.ts'
import { syntaxProblem } from '../../reactors/syntax-problem.ts'
import type { ReactorFile } from './compare.ts'
import { collidingNames, fileNameProblem } from './file-name.ts'

/** Everything that keeps the files of a folder from being stored, each with its place; nothing is run. */
export function folderProblems(folder: string, files: readonly ReactorFile[]): string[] {
  const colliding = collidingNames(files.map(({ name }) => name))
  return files.flatMap((file) => {
    const place = path.join(folder, `${file.name}.js`)
    const name = fileNameProblem(file.name)
    const syntax = syntaxProblem(file.code)
    return [
      ...(name === null ? [] : [`${place}: ${name}`]),
      ...(colliding.includes(file.name)
        ? [`${place}: on some disks, it is one file with another one here`]
        : []),
      ...(syntax ? [`${place}:${syntax.line}:${syntax.column}: ${syntax.message}`] : []),
      ...refusals(file).map((refusal) => `${place}: ${refusal}`),
    ]
  })
}

/** What the interface would refuse, before anything is sent. */
function refusals({ name, code, configuration = {} }: ReactorFile): string[] {
  const values = Object.entries(configuration).map(([each, value]) => [each, value ?? ''])
  try {
    parsed(newReactor, { name, code, configuration: Object.fromEntries(values) })
    return []
  } catch (error) {
    if (!(error instanceof CofferError) || !error.errors) throw error
    return Object.entries(error.errors).flatMap(([member, messages]) =>
      messages.map((each) => `${member} ${each}`),
    )
  }
}

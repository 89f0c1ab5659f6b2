import { CofferError } from '../../../shared/errors.ts'

/** Formats the location of a member in its file: `seed.yaml:12 tokens[3].data`. */
export type Locate = (path: string) => string

/** The content of a file, a function that locates its members, and the folder that its paths are relative to. */
export type Parsed<T> = { readonly value: T; readonly at: Locate; readonly folder: string }

/** Prefixes each message of a validation error with its location in the file. */
export function locateError(error: CofferError, at: Locate, under = ''): CofferError {
  const errors = Object.entries(error.errors ?? { [under]: [error.message] })
  const lines = errors.flatMap(([path, messages]) =>
    messages.map((message) => `${at(joinPath(under, path))} ${rewordForFile(message)}`),
  )
  return new CofferError('invalid', lines.slice(0, 20).join('\n'), { cause: error })
}

/** Rewords a validation message about a member of a request so that it fits a member of a file. */
export function rewordForFile(message: string): string {
  return message.replace('is not a member of this request', 'is not a known member')
}

function joinPath(under: string, path: string): string {
  if (path === 'body' || path === under) return under
  if (under === '') return path
  return path.startsWith('[') ? under + path : `${under}.${path}`
}

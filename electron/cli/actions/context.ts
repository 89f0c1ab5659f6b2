import path from 'node:path'
import { readContexts, readVariables, requireContext, writeContexts } from '../terminal/contexts.ts'
import { createTable } from '../terminal/table.ts'
import { printLine } from '../terminal/vault-options.ts'

export type JsonOption = { readonly json?: true }

export type AddContextOptions = JsonOption & { readonly envFile: string }

/** Adds a context, or replaces the one of the same name. */
export async function addContext(name: string, { envFile, json }: AddContextOptions): Promise<void> {
  const file = path.resolve(envFile)
  readVariables(file)
  const { current, files } = readContexts()
  writeContexts({ current, files: { ...files, [name]: file } })
  printLine(
    json ? JSON.stringify({ name, file }) : `Added the context ${name}, with the variables of ${file}.`,
  )
}

/** Makes a context the current one; without a name, none. */
export async function selectContext(name: string | undefined, { json }: JsonOption): Promise<void> {
  const contexts = readContexts()
  if (name !== undefined) readVariables(requireContext(contexts, name))
  writeContexts({ ...contexts, current: name ?? null })
  if (json) return printLine(JSON.stringify({ current: name ?? null }))
  printLine(name === undefined ? 'Commands use no context.' : `Commands use the context ${name}.`)
}

export async function listContexts({ json }: JsonOption): Promise<void> {
  const { current, files } = readContexts()
  const rows = Object.entries(files)
    .toSorted()
    .map(([name, file]) => ({ name, current: name === current, file }))
  if (json) return printLine(JSON.stringify(rows))
  if (rows.length === 0) return printLine('No contexts.')
  createTable([{ head: 'NAME' }, { head: 'CURRENT' }, { head: 'FILE' }])(
    rows.map((row) => [row.name, row.current ? 'current' : '', row.file]),
  )
}

export async function removeContext(name: string, { json }: JsonOption): Promise<void> {
  const contexts = readContexts()
  requireContext(contexts, name)
  const { [name]: _, ...files } = contexts.files
  writeContexts({ current: contexts.current === name ? null : contexts.current, files })
  printLine(json ? JSON.stringify({ name, removed: true }) : `Removed the context ${name}. Its file stays.`)
}

import fs from 'node:fs'
import path from 'node:path'
import { type Document, parseDocument } from 'yaml'
import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from '../../engine/index.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import {
  isSameEntry,
  type ReactorFile,
  type ReactorFileEntry,
  type StoredReactor,
  toFileEntry,
} from './compare.ts'
import { findCollidingNames, findFileNameProblem, toFileKey } from './file-name.ts'
import { ENTRIES_FILE } from './folder.ts'

/** A file that is missing or differs from the stored reactor. */
export type ToWrite = {
  readonly name: string
  readonly code: string
  readonly about: ReactorFileEntry
  readonly before: ReactorFile | undefined
}

export type PullPlan = {
  readonly write: readonly ToWrite[]
  readonly unchanged: number
  /** Names of files without a stored reactor, which stay unchanged. */
  readonly left_alone: readonly string[]
  /** Reactors that cannot be written as files, with the reasons. */
  readonly left_out: readonly { readonly name: string; readonly why: string }[]
}

const HEADER_COMMENT = ` The application, configuration and runtime of each reactor. Coffer writes no configuration values to this
 file: an entry without a value keeps the stored value.`

/** Plans what writing stored reactors to a folder would change. Changes nothing. */
export function planPull(
  folder: string,
  files: readonly ReactorFile[],
  stored: readonly StoredReactor[],
  applications: readonly { readonly id: string; readonly name: string }[],
): PullPlan {
  const names = stored.map(({ name }) => name)
  const colliding = new Set(findCollidingNames(names))
  const left_out: { name: string; why: string }[] = []
  const write: ToWrite[] = []
  let unchanged = 0
  for (const reactor of stored) {
    const { name, code } = reactor
    const before = files.find((file) => file.name === name)
    const why =
      findFileNameProblem(name) ??
      (colliding.has(name) ? 'on some disks, two reactors would have this file name' : null) ??
      findContentProblem(reactor) ??
      (before ? null : findObstacle(folder, name, files))
    if (why !== null) {
      left_out.push({ name, why })
      continue
    }
    const about = toFileEntry(reactor, before, applications)
    if (before && before.code === code && isSameEntry(before, about)) unchanged++
    else write.push({ name, code, about, before })
  }
  const left_alone = files.map(({ name }) => name).filter((name) => !names.includes(name))
  return { write, unchanged, left_alone, left_out }
}

function findContentProblem({ configuration, code }: StoredReactor): string | null {
  // YAML would read this name as a merge of entries.
  if (Object.hasOwn(configuration, '<<')) return 'reactors.yml cannot hold its configuration entry <<'
  return code.isWellFormed() ? null : 'its code has characters that cannot be stored as UTF-8'
}

/** Says why a new file cannot be written. Null if it can. SECURITY: a link would lead out of the folder. */
function findObstacle(folder: string, name: string, files: readonly ReactorFile[]): string | null {
  const key = toFileKey(name)
  const similar = files.find((file) => toFileKey(file.name) === key)
  if (similar) return `on some disks, its file name is the same as ${similar.name}.js, which exists`
  const stat = fs.lstatSync(path.join(folder, `${name}.js`), { throwIfNoEntry: false })
  return stat ? `${name}.js exists and is not a regular file` : null
}

/** Writes the planned files: code first, then `reactors.yml`. Throws `conflict`, `unavailable`, `storage_full`. */
export function writeReactors(folder: string, write: readonly ToWrite[]): void {
  const file = path.join(folder, ENTRIES_FILE)
  const present = fs.lstatSync(file, { throwIfNoEntry: false })
  if (present && !present.isFile()) throw new CofferError('conflict', `${file} is not a regular file.`)
  const entries = write.filter(({ about, before }) => !isSameEntry(about, before ?? {}))
  try {
    if (!fs.existsSync(folder)) fs.mkdirSync(folder)
  } catch (error) {
    throw toStorageError(error, folder)
  }
  for (const { name, code, before } of write)
    if (before?.code !== code) writeAtomically(path.join(folder, `${name}.js`), code, { mode: 0o666 })
  if (entries.length > 0)
    writeAtomically(file, addEntries(present ? fs.readFileSync(file, 'utf8') : '', entries), {
      mode: 0o666,
    })
}

/** Returns `reactors.yml` with the entries of these reactors. Comments between the other entries stay. */
function addEntries(text: string, entries: readonly ToWrite[]): string {
  const document = parseDocument(text, { stringKeys: true, merge: true, resolveKnownTags: false })
  if (document.contents === null && document.commentBefore === null) document.commentBefore = HEADER_COMMENT
  for (const { name, about } of entries) setEntry(document, name, about)
  return document.toString({ nullStr: '', lineWidth: 0 })
}

function setEntry(document: Document, name: string, about: ReactorFileEntry): void {
  if (Object.keys(about).length === 0) document.delete(name)
  else document.set(name, document.createNode(about))
}

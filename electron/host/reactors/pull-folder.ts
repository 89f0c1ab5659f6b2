import fs from 'node:fs'
import path from 'node:path'
import { type Document, parseDocument } from 'yaml'
import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from '../../engine/db/storage-error.ts'
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

/** A file that differs from what is stored, or is not there. */
export type ToWrite = {
  readonly name: string
  readonly code: string
  readonly about: ReactorFileEntry
  readonly before: ReactorFile | undefined
}

export type PullPlan = {
  readonly write: readonly ToWrite[]
  readonly unchanged: number
  /** Files without a stored reactor. */
  readonly left_alone: readonly string[]
  /** Reactors that cannot be files. */
  readonly left_out: readonly { readonly name: string; readonly why: string }[]
}

const HEADER_COMMENT = ` What a reactor has beside its code. Coffer writes no values of configuration here: an entry
 without a value keeps the stored one.`

/** What writing stored reactors to a folder would change; changes nothing. */
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
      (colliding.has(name) ? 'on some disks, its file is that of another reactor' : null) ??
      // YAML takes this name for a merge of entries.
      (Object.hasOwn(reactor.configuration, '<<')
        ? 'reactors.yml cannot hold its configuration entry <<'
        : null) ??
      (code.isWellFormed() ? null : 'its code is no text that a file can hold') ??
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

/** Why a new file cannot be written, or null. SECURITY: a link would be followed out of the folder. */
function findObstacle(folder: string, name: string, files: readonly ReactorFile[]): string | null {
  const key = toFileKey(name)
  const similar = files.find((file) => toFileKey(file.name) === key)
  if (similar) return `on some disks, its file is ${similar.name}.js, which is there`
  const stat = fs.lstatSync(path.join(folder, `${name}.js`), { throwIfNoEntry: false })
  return stat ? `${name}.js is there and is not a plain file` : null
}

/** Writes what a plan says: code, then `reactors.yml`. Throws `conflict`, `unavailable`, `storage_full`. */
export function writeReactors(folder: string, write: readonly ToWrite[]): void {
  const file = path.join(folder, ENTRIES_FILE)
  const present = fs.lstatSync(file, { throwIfNoEntry: false })
  if (present && !present.isFile()) throw new CofferError('conflict', `${file} is not a plain file.`)
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

/** `reactors.yml` with the entries of these reactors; comments between the others stay. */
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

import fs from 'node:fs'
import path from 'node:path'
import { type Document, parseDocument } from 'yaml'
import { CofferError } from '../../../shared/errors.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { type About, aboutOf, isSameAbout, type ReactorFile, type Stored } from './compare.ts'
import { collidingNames, fileNameProblem, sameFileKey } from './file-name.ts'
import { ABOUT } from './folder.ts'

/** A file that differs from what is stored, or is not there. */
export type ToWrite = {
  readonly name: string
  readonly code: string
  readonly about: About
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

const HEAD = ` What a reactor has beside its code. Coffer writes no values of configuration here: an entry
 without a value keeps the stored one.`

/** What writing stored reactors to a folder would change; changes nothing. */
export function planPull(
  folder: string,
  files: readonly ReactorFile[],
  stored: readonly Stored[],
  applications: readonly { readonly id: string; readonly name: string }[],
): PullPlan {
  const names = stored.map(({ name }) => name)
  const colliding = new Set(collidingNames(names))
  const left_out: { name: string; why: string }[] = []
  const write: ToWrite[] = []
  let unchanged = 0
  for (const reactor of stored) {
    const { name, code } = reactor
    const before = files.find((file) => file.name === name)
    const why =
      fileNameProblem(name) ??
      (colliding.has(name) ? 'on some disks, its file is that of another reactor' : null) ??
      // YAML takes this name for a merge of entries.
      (Object.hasOwn(reactor.configuration, '<<')
        ? 'reactors.yml cannot hold its configuration entry <<'
        : null) ??
      (code.isWellFormed() ? null : 'its code is no text that a file can hold') ??
      (before ? null : inTheWay(folder, name, files))
    if (why !== null) {
      left_out.push({ name, why })
      continue
    }
    const about = aboutOf(reactor, before, applications)
    if (before && before.code === code && isSameAbout(before, about)) unchanged++
    else write.push({ name, code, about, before })
  }
  const left_alone = files.map(({ name }) => name).filter((name) => !names.includes(name))
  return { write, unchanged, left_alone, left_out }
}

/** Why a new file cannot be written, or null. SECURITY: a link would be followed out of the folder. */
function inTheWay(folder: string, name: string, files: readonly ReactorFile[]): string | null {
  const key = sameFileKey(name)
  const like = files.find((file) => sameFileKey(file.name) === key)
  if (like) return `on some disks, its file is ${like.name}.js, which is there`
  const found = fs.lstatSync(path.join(folder, `${name}.js`), { throwIfNoEntry: false })
  return found ? `${name}.js is there and is not a plain file` : null
}

/** Writes what a plan says: code, then `reactors.yml`. Throws `conflict`, `unavailable`, `storage_full`. */
export function writeReactors(folder: string, write: readonly ToWrite[]): void {
  const file = path.join(folder, ABOUT)
  const present = fs.lstatSync(file, { throwIfNoEntry: false })
  if (present && !present.isFile()) throw new CofferError('conflict', `${file} is not a plain file.`)
  const entries = write.filter(({ about, before }) => !isSameAbout(about, before ?? {}))
  try {
    if (!fs.existsSync(folder)) fs.mkdirSync(folder)
  } catch (error) {
    throw storageError(error, folder)
  }
  for (const { name, code, before } of write)
    if (before?.code !== code) writeAtomically(path.join(folder, `${name}.js`), code, { mode: 0o666 })
  if (entries.length > 0)
    writeAtomically(file, withEntries(present ? fs.readFileSync(file, 'utf8') : '', entries), {
      mode: 0o666,
    })
}

/** `reactors.yml` with the entries of these reactors; comments between the others stay. */
function withEntries(text: string, entries: readonly ToWrite[]): string {
  const document = parseDocument(text, { stringKeys: true, merge: true, resolveKnownTags: false })
  if (document.contents === null && document.commentBefore === null) document.commentBefore = HEAD
  for (const { name, about } of entries) setEntry(document, name, about)
  return document.toString({ nullStr: '', lineWidth: 0 })
}

function setEntry(document: Document, name: string, about: About): void {
  if (Object.keys(about).length === 0) document.delete(name)
  else document.set(name, document.createNode(about))
}

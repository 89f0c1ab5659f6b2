import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import { isoTime } from '../../../shared/time.ts'
import { masked } from './recorded-id.ts'

/** Reports an internal failure; reports the same error only once. Never throws. */
export type Report = (error: unknown, where: string, trace_id?: string) => void

/** Errors that have become incidents. */
const reported = new WeakSet<object>()

/**
 * Returns the incident for an error that `isIncident`. SECURITY: built from a list of what may be kept. Messages may
 * hold data, so they are left out, as is every stack line that is not a frame of this program.
 */
export function incidentOf(error: unknown, where: string, trace_id: string | null, now: number): Incident {
  remember(error)
  const root = rootOf(error)
  return {
    time: isoTime(now),
    trace_id: trace_id === null ? null : masked(trace_id),
    class: classOf(root),
    code: codeOf(root),
    stack: framesOf(root),
    where,
  }
}

/** Whether an error is an internal failure, damage to a vault included, rather than a refusal. */
export function isIncident(error: unknown): boolean {
  if (!(error instanceof CofferError)) return true
  // The owner's code failed, not the vault.
  if (error.thrown_status !== undefined) return false
  if (error.code === 'internal' || error.code === 'damaged') return true
  return error.status >= 500 && /^(SQLITE_|EIO$)/.test(codeOf(rootOf(error)) ?? '')
}

/** Whether this error, or its cause, has become an incident. */
export function isReported(error: unknown): boolean {
  return causesOf(error).some((each) => reported.has(each))
}

function remember(error: unknown): void {
  for (const each of causesOf(error)) reported.add(each)
}

/** A CofferError with its causes, outermost first. */
function causesOf(error: unknown): object[] {
  const found: object[] = []
  for (let at = error; typeof at === 'object' && at !== null && found.length < 10; ) {
    found.push(at)
    at = at instanceof CofferError ? at.cause : undefined
  }
  return found
}

/** The error that was thrown first, before any CofferError wrapped it. */
function rootOf(error: unknown): unknown {
  return causesOf(error).at(-1) ?? error
}

function classOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return /^[A-Z][A-Za-z]{0,60}$/.test(error.name) ? error.name : 'Error'
}

function codeOf(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return null
  const isOfSystem = /^[A-Z][A-Z0-9_]{0,79}$/.test(code) && !/\d{4}/.test(code)
  return isOfSystem || error instanceof CofferError ? code : null
}

const MOST_FRAMES = 20
/** So many characters of a stack are read. */
const MOST_STACK = 50_000

function framesOf(error: unknown): string[] {
  return framesIn(stackOf(error), placeInProgram)
}

/** A stack without its leading message. SECURITY: a message may have lines that look like frames. */
function stackOf(error: unknown): string {
  const { stack, message } = (error ?? {}) as { stack?: unknown; message?: unknown }
  if (typeof stack !== 'string') return ''
  const at = typeof message === 'string' && message !== '' ? stack.indexOf(message) : -1
  return at < 0 ? stack : stack.slice(at + String(message).length)
}

/** What an incident is built from, in a form that a worker thread can post. */
export type Trace = { readonly name: string; readonly code: string | null; readonly stack: string }

/** Returns the trace of an error, for `errorOfTrace` in another thread. */
export function traceOf(error: unknown): Trace {
  const root = rootOf(error)
  return { name: classOf(root), code: codeOf(root), stack: stackOf(root) }
}

/** Returns an error that becomes the same incident as the one the trace came from. */
export function errorOfTrace(trace: Trace): Error {
  return Object.assign(new Error(''), trace)
}

/** Returns the frames of an error in the window's page. The page has already cut off the message. */
export function framesOfPage(stack: string): string[] {
  return framesIn(stack, placeInPage)
}

function framesIn(stack: string, placeOf: (spelled: string) => string | null): string[] {
  const found: string[] = []
  for (const line of stack.slice(0, MOST_STACK).split('\n')) {
    const [, name = '', , spelled = '', row, column] = frameLine.exec(line.trim()) ?? []
    const place = placeOf(spelled)
    if (place === null) continue
    const at = `${place}:${row}:${column}`
    found.push(name === '' ? at : `${isName(name) ? name : '?'} (${at})`)
    if (found.length === MOST_FRAMES) break
  }
  return found
}

/** `at async Door.call (file:///…/door.ts:12:3)`, `at /…/door.ts:12:3`. */
const frameLine = /^at (?:async )?(?:(.{1,120}?) )?(\()?([^()\s][^()]{0,400}?):(\d{1,6}):(\d{1,7})\)?$/

function isName(name: string): boolean {
  return /^(new )?[A-Za-z_$#<][\w$.#<>]*( \[as [\w$.]+\])?$/.test(name) && !/\d{4}/.test(name)
}

/** The folder of the program, or the folder of packages it is installed in. */
const root = rootFolder()

function rootFolder(): string {
  let folder = import.meta.dirname
  while (!fs.existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder)
  }
  return folder
}

/** The path of a file of the window's page; null for any other file. */
function placeInPage(spelled: string): string | null {
  return (
    /^(?:app:\/\/coffer|http:\/\/(?:127\.0\.0\.1|localhost):\d+)(\/[\w./@-]{1,200})/.exec(spelled)?.[1] ??
    null
  )
}

/** The path of a file of the program, or of Node's own; null for any other file. */
function placeInProgram(spelled: string): string | null {
  if (/^node:[a-z_/]+$/.test(spelled)) return spelled
  let file = spelled
  try {
    if (spelled.startsWith('file:')) file = fileURLToPath(spelled)
  } catch {
    // Not a valid file URL.
    return null
  }
  const below = path.relative(root, file).replaceAll('\\', '/')
  // A package may be installed next to the program instead of inside it.
  const [, packages] = /(?:^|\/)(node_modules\/[^.][\w.@/+-]*)$/.exec(file.replaceAll('\\', '/')) ?? []
  if (below.startsWith('..') || path.isAbsolute(below)) return packages ?? null
  return /^[\w.@/+-]+$/.test(below) ? below : null
}

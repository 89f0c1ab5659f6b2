import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import { isoTime } from '../../../shared/time.ts'
import { masked } from './recorded-id.ts'

/** Reports something that failed inside; never throws. What was reported already is not reported again. */
export type Report = (error: unknown, where: string, trace_id?: string) => void

/** Errors that an incident was made of. */
const told = new WeakSet<object>()

/**
 * The incident of an error that `isIncident`. SECURITY: made of a list of what may be kept. Messages may hold data, so
 * they are left out, and so is every line of a stack that is not a frame of this program.
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

/** Whether an error is a failure inside, damage of a vault included, and not a refusal. */
export function isIncident(error: unknown): boolean {
  if (!(error instanceof CofferError)) return true
  if (error.code === 'internal' || error.code === 'damaged') return true
  return error.status >= 500 && /^(SQLITE_|EIO$)/.test(codeOf(rootOf(error)) ?? '')
}

/** Whether an incident was made of this error, or of its cause. */
export function isReported(error: unknown): boolean {
  return causesOf(error).some((each) => told.has(each))
}

function remember(error: unknown): void {
  for (const each of causesOf(error)) told.add(each)
}

/** An error of ours with what caused it, outermost first. */
function causesOf(error: unknown): object[] {
  const found: object[] = []
  for (let at = error; typeof at === 'object' && at !== null && found.length < 10; ) {
    found.push(at)
    at = at instanceof CofferError ? at.cause : undefined
  }
  return found
}

/** What was thrown before we said what it means. */
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

/** A stack without the message it begins with. SECURITY: a message may have lines that look like frames. */
function stackOf(error: unknown): string {
  const { stack, message } = (error ?? {}) as { stack?: unknown; message?: unknown }
  if (typeof stack !== 'string') return ''
  const at = typeof message === 'string' && message !== '' ? stack.indexOf(message) : -1
  return at < 0 ? stack : stack.slice(at + String(message).length)
}

/** What an incident is made of, as it crosses from a thread. */
export type Trace = { readonly name: string; readonly code: string | null; readonly stack: string }

/** What an incident of this error would be made of. */
export function traceOf(error: unknown): Trace {
  const root = rootOf(error)
  return { name: classOf(root), code: codeOf(root), stack: stackOf(root) }
}

/** An error of which the same incident is made. */
export function errorOfTrace(trace: Trace): Error {
  return Object.assign(new Error(''), trace)
}

/** The frames of an error of the window's page, which has cut its message off. */
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

/** The folder of the program, or that of its packages where it is one of them. */
const root = rootFolder()

function rootFolder(): string {
  let folder = import.meta.dirname
  while (!fs.existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder)
  }
  return folder
}

/** A file of the window's page; null for any other. */
function placeInPage(spelled: string): string | null {
  return (
    /^(?:app:\/\/coffer|http:\/\/(?:127\.0\.0\.1|localhost):\d+)(\/[\w./@-]{1,200})/.exec(spelled)?.[1] ??
    null
  )
}

/** A file below the program, or Node's own; null for any other. */
function placeInProgram(spelled: string): string | null {
  if (/^node:[a-z_/]+$/.test(spelled)) return spelled
  let file = spelled
  try {
    if (spelled.startsWith('file:')) file = fileURLToPath(spelled)
  } catch {
    // No file is spelled so.
    return null
  }
  const below = path.relative(root, file).replaceAll('\\', '/')
  // A package may lie beside the program instead of in it.
  const [, packages] = /(?:^|\/)(node_modules\/[^.][\w.@/+-]*)$/.exec(file.replaceAll('\\', '/')) ?? []
  if (below.startsWith('..') || path.isAbsolute(below)) return packages ?? null
  return /^[\w.@/+-]+$/.test(below) ? below : null
}

import { channel } from 'node:diagnostics_channel'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import { maskText } from './log-id.ts'

/** Reports an internal failure. Reports the same error only once. Never throws. */
export type ReportIncident = (error: unknown, where: string, trace_id?: string) => void

/**
 * SECURITY: receives errors with their messages. Only code that starts together with Coffer can subscribe, such as
 * scripts/print-errors.mjs, which `npm run dev` loads.
 */
const errors = channel('coffer.incident')

/** Errors that were already turned into incidents. */
const reported = new WeakSet<object>()

/**
 * Returns the incident for an error for which `isIncident` is true. SECURITY: only allowed parts of the error are
 * included. Messages may contain data, so they are omitted, and so are stack lines that are not frames of this program.
 */
export function toIncident(error: unknown, where: string, trace_id: string | null, now: number): Incident {
  markReported(error)
  const rootError = findRootCause(error)
  errors.publish(rootError)
  return {
    time: formatIsoTime(now),
    trace_id: trace_id === null ? null : maskText(trace_id),
    class: getErrorClass(rootError),
    code: getErrorCode(rootError),
    stack: getFrames(rootError),
    where,
  }
}

/** Whether an error is an internal failure or damage to a vault, rather than a rejected call. */
export function isIncident(error: unknown): boolean {
  if (!(error instanceof CofferError)) return true
  // The owner's code failed, not the vault itself.
  if (error.thrown_status !== undefined) return false
  if (error.code === 'internal' || error.code === 'damaged') return true
  return error.status >= 500 && /^(SQLITE_|EIO$)/.test(getErrorCode(findRootCause(error)) ?? '')
}

/** Whether this error, or its cause, was already turned into an incident. */
export function isReported(error: unknown): boolean {
  return listCauses(error).some((each) => reported.has(each))
}

function markReported(error: unknown): void {
  for (const each of listCauses(error)) reported.add(each)
}

/** Lists a CofferError and its causes, outermost first. */
function listCauses(error: unknown): object[] {
  const causes: object[] = []
  for (let at = error; typeof at === 'object' && at !== null && causes.length < 10; ) {
    causes.push(at)
    at = at instanceof CofferError ? at.cause : undefined
  }
  return causes
}

/** Returns the error that was thrown first, before any CofferError wrapped it. */
function findRootCause(error: unknown): unknown {
  return listCauses(error).at(-1) ?? error
}

function getErrorClass(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return /^[A-Z][A-Za-z]{0,60}$/.test(error.name) ? error.name : 'Error'
}

function getErrorCode(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return null
  const isOfSystem = /^[A-Z][A-Z0-9_]{0,79}$/.test(code) && !/\d{4}/.test(code)
  return isOfSystem || error instanceof CofferError ? code : null
}

const MAX_FRAMES = 20
/** The maximum number of characters of a stack that are read. */
const MAX_STACK_LENGTH = 50_000

function getFrames(error: unknown): string[] {
  return parseFrames(getStack(error), getProgramPath)
}

/** Returns a stack without its leading message. SECURITY: a message may contain lines that look like frames. */
function getStack(error: unknown): string {
  const { stack, message } = (error ?? {}) as { stack?: unknown; message?: unknown }
  if (typeof stack !== 'string') return ''
  const at = typeof message === 'string' && message !== '' ? stack.indexOf(message) : -1
  return at < 0 ? stack : stack.slice(at + String(message).length)
}

/** The parts of an error that an incident needs, in a form that a worker thread can post. */
export type ErrorTrace = { readonly name: string; readonly code: string | null; readonly stack: string }

/** Returns the trace of an error, for `createErrorFromTrace` in another thread. */
export function toErrorTrace(error: unknown): ErrorTrace {
  const rootError = findRootCause(error)
  return { name: getErrorClass(rootError), code: getErrorCode(rootError), stack: getStack(rootError) }
}

/** Rebuilds an error from its trace; it yields the same incident as the original. */
export function createErrorFromTrace(trace: ErrorTrace): Error {
  return Object.assign(new Error(''), trace)
}

/** Returns the stack frames of an error in the window's page. The page has already removed the message. */
export function parsePageFrames(stack: string): string[] {
  return parseFrames(stack, getPagePath)
}

function parseFrames(stack: string, getPath: (source: string) => string | null): string[] {
  const frames: string[] = []
  for (const line of stack.slice(0, MAX_STACK_LENGTH).split('\n')) {
    const [, name = '', , source = '', row, column] = frameLine.exec(line.trim()) ?? []
    const sourcePath = getPath(source)
    if (sourcePath === null) continue
    const at = `${sourcePath}:${row}:${column}`
    frames.push(name === '' ? at : `${isName(name) ? name : '?'} (${at})`)
    if (frames.length === MAX_FRAMES) break
  }
  return frames
}

/** Matches `at async Pipeline.run (file:///…/pipeline.ts:12:3)` and `at /…/pipeline.ts:12:3`. */
const frameLine = /^at (?:async )?(?:(.{1,120}?) )?(\()?([^()\s][^()]{0,400}?):(\d{1,6}):(\d{1,7})\)?$/

function isName(name: string): boolean {
  return /^(new )?[A-Za-z_$#<][\w$.#<>]*( \[as [\w$.]+\])?$/.test(name) && !/\d{4}/.test(name)
}

/** The folder of the program, or the folder of packages in which it is installed. */
const programRoot = findRootFolder()

function findRootFolder(): string {
  let folder = import.meta.dirname
  while (!fs.existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder)
  }
  return folder
}

/** The path of a file of the window's page; null for any other file. */
function getPagePath(source: string): string | null {
  return (
    /^(?:app:\/\/coffer|http:\/\/(?:127\.0\.0\.1|localhost):\d+)(\/[\w./@-]{1,200})/.exec(source)?.[1] ?? null
  )
}

/** The path of a file of the program, or the name of a Node module; null for any other file. */
function getProgramPath(source: string): string | null {
  if (/^node:[a-z_/]+$/.test(source)) return source
  let file = source
  try {
    if (source.startsWith('file:')) file = fileURLToPath(source)
  } catch {
    // Not a valid file URL.
    return null
  }
  const below = path.relative(programRoot, file).replaceAll('\\', '/')
  // A package may be installed next to the program instead of inside it.
  const [, packages] = /(?:^|\/)(node_modules\/[^.][\w.@/+-]*)$/.exec(file.replaceAll('\\', '/')) ?? []
  if (below.startsWith('..') || path.isAbsolute(below)) return packages ?? null
  return /^[\w.@/+-]+$/.test(below) ? below : null
}

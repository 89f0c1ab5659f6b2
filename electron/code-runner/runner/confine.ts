import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import v8 from 'node:v8'

/** Members of `process` that could be used against Coffer, or to inspect this machine. */
const removed = [
  'kill',
  '_kill',
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier',
  '_stopProfilerIdleNotifier',
  'execve',
  'binding',
  '_linkedBinding',
  'dlopen',
  'getBuiltinModule',
  'abort',
  'report',
  'chdir',
  'setuid',
  'setgid',
  'seteuid',
  'setegid',
  'setgroups',
  'initgroups',
  'loadEnvFile',
  'openStdin',
  'mainModule',
  'parentPort',
  '_getActiveRequests',
  '_getActiveHandles',
] as const

/**
 * Removes the abilities that Node's permission model leaves to this process (rule F-02). `print` receives what the
 * process prints. SECURITY: call it before any reactor code runs, and after everything the runner needs has been
 * loaded.
 */
export function confineProcess(print: (text: string) => void): void {
  // Read before it is removed. Older versions of Node do not have it.
  const sqlite: object | undefined = process.getBuiltinModule('node:sqlite')
  // Node assigns to some of them when it loads `fetch`, so an assignment must not fail.
  const hidden = { get: () => undefined, set: () => {}, enumerable: false, configurable: false }
  for (const name of removed) Object.defineProperty(process, name, hidden)
  defineConstant(process, 'ppid', 0)
  // Replaced, not removed, because packages such as exceljs read it while they load.
  defineConstant(process, 'umask', () => 0o22)
  // Replaced, not removed, because Node prints its own warnings with this function.
  defineConstant(process, '_rawDebug', () => {})
  if (!canMeasureMemory())
    defineConstant(process, 'memoryUsage', Object.assign(estimateMemory, { rss: estimateResident }))
  process.removeAllListeners('warning')
  const stream = {
    isTTY: false,
    write(text: unknown) {
      print(String(text))
      return true
    },
    on() {},
    once() {},
    end() {},
  }
  for (const name of ['stdout', 'stderr'] as const) defineConstant(process, name, stream)
  blockFiles(sqlite)
  // Called before stdin is removed, because `blockLocalSockets` needs the handle of stdin.
  blockLocalSockets()
  defineConstant(process, 'stdin', undefined)
  for (const name of Object.keys(process.env)) delete process.env[name]
  process.argv.splice(0)
  process.execArgv.splice(0)
  defineConstant(process, 'execPath', '')
}

/** Whether Node can read its resident memory: its part of `/proc` may be missing. */
function canMeasureMemory(): boolean {
  try {
    return process.memoryUsage.rss() > 0
  } catch {
    return false
  }
}

/** The most resident memory that this process had so far. */
const estimateResident = () => process.resourceUsage().maxRSS * 1024

function estimateMemory(): NodeJS.MemoryUsage {
  const { total_heap_size, used_heap_size, external_memory } = v8.getHeapStatistics()
  return {
    rss: estimateResident(),
    heapTotal: total_heap_size,
    heapUsed: used_heap_size,
    external: external_memory,
    arrayBuffers: 0,
  }
}

/** SECURITY: Node's permissions do not cover the files of SQLite, nor those that flags of V8 name. */
function blockFiles(sqlite: object = {}): void {
  for (const name of Object.keys(sqlite)) defineConstant(sqlite, name, rejectUse)
  defineConstant(v8, 'setFlagsFromString', rejectUse)
  syncBuiltinESMExports()
}

function rejectUse(): never {
  throw Object.assign(new Error('This part of Node is not available to reactors.'), {
    code: 'ERR_ACCESS_DENIED',
  })
}

/**
 * SECURITY: Unix sockets lead to other programs of this user, such as Docker or the session bus. A listening socket
 * lets other programs connect, and a socket opened from a descriptor could lead anywhere. Node's permissions cover none
 * of these sockets.
 */
function blockLocalSockets(): void {
  // Block the handles too: code could use them without `net`.
  blockMethods(getHandleClass(process.stdin), ['bind', 'connect', 'fchmod', 'listen', 'open'])
  blockMethods(getTcpHandleClass(), ['listen', 'open'])
  blockMethods(net.Server, ['listen'])
  guardConnect()
}

function blockMethods(type: { readonly prototype: object } | undefined, methods: readonly string[]): void {
  if (!type) return
  for (const name of methods) defineConstant(type.prototype, name, rejectAccess)
}

type Handle = { readonly constructor: { readonly prototype: object }; close(): void }

/** The class of a stream's handle, which Node does not export. */
function getHandleClass(stream: object): Handle['constructor'] | undefined {
  return (stream as { _handle?: Handle | null })._handle?.constructor
}

function getTcpHandleClass(): Handle['constructor'] | undefined {
  const { _createServerHandle: create } = net as unknown as {
    _createServerHandle(address: string, port: number, family: 4): Handle | number
  }
  const handle = create('127.0.0.1', 0, 4)
  if (typeof handle === 'number') return undefined
  handle.close()
  return handle.constructor
}

function rejectAccess(): never {
  throw Object.assign(new Error('A reactor can only connect to a host and a port.'), {
    code: 'ERR_ACCESS_DENIED',
  })
}

function guardConnect(): void {
  const { connect } = net.Socket.prototype
  const { apply } = Reflect
  const isArray = Array.isArray
  const toNumber = Number
  defineConstant(net.Socket.prototype, 'connect', function guarded(this: net.Socket, ...args: unknown[]) {
    const [first, ...rest] = isArray(args[0]) ? [args[0][0], args[0][1]] : args
    if (typeof first === 'object' && first !== null) {
      // Copied, because a getter could return a different value when read again. The own `path` of the copy hides an
      // inherited one.
      const options = { ...first, path: undefined }
      if ((first as { path?: unknown }).path) rejectAccess()
      return apply(connect, this, [options, ...rest])
    }
    if (typeof first === 'string' && !(toNumber(first) >= 0)) rejectAccess()
    return apply(connect, this, [first, ...rest])
  })
}

function defineConstant(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: false })
}

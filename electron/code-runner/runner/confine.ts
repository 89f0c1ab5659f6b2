import net from 'node:net'

/** What a process could use against the one that started it, or to look around in this machine. */
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
  'umask',
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
 * Takes away from this process what Node's permission model leaves to it (rule F-02). SECURITY: call it before any
 * code of a reactor runs, and with everything loaded that the runner itself needs.
 */
export function confineProcess(print: (text: string) => void): void {
  for (const name of removed) defineConstant(process, name, undefined)
  defineConstant(process, 'ppid', 0)
  // Node itself prints warnings by it.
  defineConstant(process, '_rawDebug', () => {})
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
  // Before the input is taken away, whose handle is needed.
  blockLocalSockets()
  defineConstant(process, 'stdin', undefined)
  for (const name of Object.keys(process.env)) delete process.env[name]
  process.argv.splice(0)
  process.execArgv.splice(0)
  defineConstant(process, 'execPath', '')
}

/**
 * SECURITY: sockets that are files lead to other programs of this user, such as Docker or the session bus; one that
 * listens lets others in; and one made of a descriptor could be anything. No permission of Node covers them.
 */
function blockLocalSockets(): void {
  // On the handles too: what `net` does with them, code could do without it.
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

/** The class of a stream's handle: Node has no other name for it. */
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
  throw Object.assign(new Error('A reactor connects to hosts and ports alone.'), {
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
      // A copy: a getter could answer differently the second time. An own `path` hides one that is inherited.
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

import fs from 'node:fs'
import path from 'node:path'
import { createSystemCallFilter } from './system-call-filter.ts'

/** A Node, the libraries that it loads when it starts, and the options that let code use the network. */
export type NodeProgram = {
  readonly node: string
  readonly libraries: readonly string[]
  readonly networkOptions: readonly string[]
}

/** A command line, and what it reads from descriptors 3, 4 and so on. */
export type WrappedCommand = { readonly command: readonly string[]; readonly inputs: readonly Buffer[] }

/** Returns the command that starts a Node with these arguments, which may read these files and folders. */
export type Wrap = (
  program: NodeProgram,
  args: readonly string[],
  readable: readonly string[],
) => WrappedCommand

export type Wrapper = { readonly by: 'bwrap' | 'unshare' | 'sandbox-exec'; readonly wrap: Wrap }

type Candidate = Pick<Wrapper, 'by'> & { readonly create: (file: string) => Wrap }

/** Starts Node as it is. */
export const wrapNothing: Wrap = ({ node }, args) => ({ command: [node, ...args], inputs: [] })

/** SECURITY: not looked up in PATH, where another program could have the same name. */
const folders = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

const wrappers: Partial<Record<NodeJS.Platform, readonly Candidate[]>> = {
  linux: [
    { by: 'bwrap', create: createBubblewrap },
    { by: 'unshare', create: createUnshare },
  ],
  darwin: [{ by: 'sandbox-exec', create: createSeatbelt }],
}

/** Lists the wrappers that are installed, the strongest first. Whether they work shows only when they are tried. */
export function listWrappers(): Wrapper[] {
  return (wrappers[process.platform] ?? []).flatMap(({ by, create }) => {
    const file = folders.map((folder) => path.join(folder, by)).find((each) => fs.existsSync(each))
    return file === undefined ? [] : [{ by, wrap: create(file) }]
  })
}

/** What name resolution reads. Older C libraries load the code for it when they first need it. */
const resolution = ['hosts', 'resolv.conf', 'nsswitch.conf', 'host.conf', 'gai.conf', 'ld.so.cache'].map(
  (name) => `/etc/${name}`,
)
const loadedLater = ['libresolv.so.2', 'libnss_dns.so.2', 'libnss_files.so.2']
/** Where some distributions keep the JavaScript of their Node, its configuration of OpenSSL, and what `os.cpus` reads. */
const ofNode = ['/usr/share/nodejs', '/etc/ssl/openssl.cnf', '/proc/stat', '/proc/cpuinfo']
/** The system's certificates, which are public. The Node of some distributions trusts them instead of its own. */
const certificates = [
  '/etc/ssl/cert.pem',
  '/etc/ssl/certs',
  '/etc/ca-certificates',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/usr/local/share/ca-certificates',
  '/usr/share/ca-certificates',
  '/var/lib/ca-certificates',
]

const NOBODY = '65534'

/**
 * Bubblewrap. SECURITY: the process sees an empty, read-only file system with the named files, and itself as the only
 * process. It has the network of this machine, because code makes its own calls.
 */
function createBubblewrap(file: string): Wrap {
  const filter = createSystemCallFilter(process.arch)
  const account = Buffer.from(`nobody:x:${NOBODY}:${NOBODY}::/:/\n`)
  return ({ node, libraries }, args, readable) => {
    const libc = path.dirname(libraries.find((each) => /\/libc\.so/.test(each)) ?? '/lib')
    const optional = [
      ...resolution,
      ...loadedLater.map((each) => path.join(libc, each)),
      ...ofNode,
      ...certificates,
    ]
    return {
      inputs: [account, ...(filter ? [filter] : [])],
      command: [
        file,
        ...['user', 'pid', 'ipc', 'uts', 'cgroup-try'].map((each) => `--unshare-${each}`),
        ...['--uid', NOBODY, '--gid', NOBODY, '--cap-drop', 'ALL', '--die-with-parent'],
        ...optional.flatMap((each) => ['--ro-bind-try', each, each]),
        ...libraries.flatMap((each) => ['--ro-bind', each, each]),
        ...readable.flatMap((each) => ['--ro-bind-try', each, each]),
        ...['--ro-bind', node, node],
        ...['/dev/null', '/dev/urandom'].flatMap((each) => ['--dev-bind', each, each]),
        ...['--ro-bind-data', '3', '/etc/passwd', '--remount-ro', '/'],
        ...(filter ? ['--seccomp', '4'] : []),
        node,
        ...args,
      ],
    }
  }
}

/** The first process of its namespace ignores the signal of `abort`, so a shell comes first. */
const first = ['/bin/sh', '-c', '"$0" "$@"; exit $?']

/** Namespaces for processes, by util-linux. Files are as everywhere. */
function createUnshare(file: string): Wrap {
  const namespaces = ['user', 'mount', 'pid', 'ipc', 'uts', 'cgroup'].map((each) => `--${each}`)
  const options = [...namespaces, '--map-current-user', '--mount-proc', '--fork', '--kill-child']
  return ({ node }, args) => ({ command: [file, ...options, ...first, node, ...args], inputs: [] })
}

/** The sandbox of macOS. */
function createSeatbelt(file: string): Wrap {
  return (program, args, readable) => ({
    command: [file, '-p', createSeatbeltProfile(program, readable), program.node, ...args],
    inputs: [],
  })
}

/** Returns a profile that refuses everything but the named files and the network. */
export function createSeatbeltProfile({ node, libraries }: NodeProgram, readable: readonly string[]): string {
  const read = [node, ...libraries, '/private/etc/hosts', '/private/etc/resolv.conf', ...readable]
  return [
    '(version 1)',
    '(deny default)',
    '(import "system.sb")',
    `(allow process-exec (literal ${JSON.stringify(node)}))`,
    '(allow file-read-metadata sysctl-read system-socket)',
    `(allow file-read* ${read.map((each) => `(subpath ${JSON.stringify(each)})`).join(' ')})`,
    '(allow network-outbound (remote ip) (literal "/private/var/run/mDNSResponder"))',
  ].join('\n')
}

/** Numbers of system calls: on x64, and on arm64. Null where a processor does not have the call. */
type Numbers = readonly [x64: number, arm64: number | null]

/** Calls that reach other processes, change what is mounted, load code into the kernel, or wait for connections. */
const refused: Readonly<Record<string, Numbers>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_send_signal: [424, 424],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  fork: [57, null],
  vfork: [58, null],
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  syslog: [103, 116],
  personality: [135, 92],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
}

/** The identifier of the processor in `seccomp_data`, and the calls whose arguments decide. */
const processors: Readonly<Record<string, { audit: number; at: 0 | 1; clone: number; socket: number }>> = {
  x64: { audit: 0xc000003e, at: 0, clone: 56, socket: 41 },
  arm64: { audit: 0xc00000b7, at: 1, clone: 220, socket: 198 },
}
const CLONE3 = 435
const CLONE_THREAD = 0x10000
const X32_CALLS = 0x40000000
const [AF_INET, AF_INET6, AF_NETLINK] = [2, 10, 16]
const [SOCK_STREAM, SOCK_DGRAM] = [1, 2]
const [IPPROTO_TCP, IPPROTO_UDP] = [6, 17]

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]

/** Loads a part of `seccomp_data`: the call's number, the processor, or the lower half of an argument. */
const loadPart = (offset: number): Instruction => [0x20, 0, 0, offset]
const loadArgument = (at: number) => loadPart(16 + 8 * at)
const keepBits = (value: number): Instruction => [0x54, 0, 0, value]
/** Jumps over as many instructions. */
const ifEqual = (value: number, whenTrue: number, whenFalse: number): Instruction => [
  0x15,
  whenTrue,
  whenFalse,
  value,
]
const ifAtLeast = (value: number, whenTrue: number, whenFalse: number): Instruction => [
  0x35,
  whenTrue,
  whenFalse,
  value,
]
const ifHasBit = (value: number, whenTrue: number, whenFalse: number): Instruction => [
  0x45,
  whenTrue,
  whenFalse,
  value,
]
const endWith = (action: number): Instruction => [0x06, 0, 0, action]
const kill = endWith(0x80000000)
const allow = endWith(0x7fff0000)
const refuse = endWith(0x00050001) // EPERM
const deny = endWith(0x00050026) // ENOSYS, after which libraries try `clone`, whose arguments can be read.

/**
 * Returns a seccomp filter in the kernel's format (struct sock_filter), or null for a processor that it does not know.
 * SECURITY: a process under it starts threads but no processes, and opens only TCP and UDP sockets, none of which
 * listens, and the socket that asks the kernel for network interfaces.
 */
export function createSystemCallFilter(processor: string): Buffer | null {
  const known = processors[processor]
  if (!known) return null
  const { audit, at, clone, socket } = known
  const numbers = Object.values(refused).flatMap((each) => each[at] ?? [])
  const program = [
    loadPart(4),
    ifEqual(audit, 1, 0),
    kill,
    loadPart(0),
    ifAtLeast(X32_CALLS, 0, 1),
    refuse,
    ...numbers.flatMap((number) => [ifEqual(number, 0, 1), refuse]),
    ifEqual(CLONE3, 0, 1),
    deny,
    ifEqual(clone, 0, 4),
    loadArgument(0),
    ifHasBit(CLONE_THREAD, 0, 1),
    allow,
    refuse,
    ifEqual(socket, 1, 0),
    allow,
    loadArgument(0),
    ifEqual(AF_NETLINK, 0, 4),
    loadArgument(2),
    ifEqual(0, 0, 1),
    allow,
    refuse,
    ifEqual(AF_INET, 1, 0),
    ifEqual(AF_INET6, 0, 9),
    loadArgument(1),
    keepBits(0xff),
    ifEqual(SOCK_STREAM, 1, 0),
    ifEqual(SOCK_DGRAM, 0, 5),
    loadArgument(2),
    ifEqual(0, 2, 0),
    ifEqual(IPPROTO_TCP, 1, 0),
    ifEqual(IPPROTO_UDP, 0, 1),
    allow,
    refuse,
  ]
  return Buffer.concat(program.map(encodeInstruction))
}

function encodeInstruction([code, whenTrue, whenFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(whenTrue, 2)
  bytes.writeUInt8(whenFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
